import { resolve } from 'node:path';
import { backup, type BackupSummary, type EarlierBackup, openEarlierBackup } from '@berth/core/operator';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { fingerprintOf, loadSecretKey } from '../config/secret-key.ts';
import { formatCount } from '../pages/format.ts';
import { VERSION } from '../version.ts';
import { interruptible, readBackupFile, STANDARD_STREAM, writeBackupFile } from './backup-files.ts';
import {
  examples,
  formatBytes,
  formatJson,
  JSON_OPTION,
  type JsonOption,
  type OpenSession,
  type Session,
} from './session.ts';

interface BackupOptions extends JsonOption {
  since?: string;
  withoutKey?: boolean;
}

const PROGRESS_MS = 100;

export function addBackup(program: Command, open: OpenSession): void {
  program
    .command('backup')
    .summary('Write a backup to one file, while servers are running.')
    .description(
      'Write a backup to one file, while servers are running: accounts, sites and their files, domains, keys, activities ' +
        'and SECRET_KEY. It is as secret as the key. The file replaces an ' +
        'existing one when it is complete.',
    )
    .argument('<file>', 'the file to write; - for standard output')
    .option('--since <file>', 'write an increment: leave out the files of sites that this earlier backup contains')
    .option('--without-key', 'leave out SECRET_KEY')
    .option(...JSON_OPTION)
    .addHelpText('after', examples('backup monday.tar', 'backup tuesday.tar --since monday.tar'))
    .action(async (file: string, { since, withoutKey, json }: BackupOptions) => {
      if (since !== undefined && resolve(since) === resolve(file))
        throw new UsageError('Write the increment to another file than the backup that it continues');
      if (file === STANDARD_STREAM && json)
        throw new UsageError('Use --json with a file; - writes the backup to standard output');
      const session = await open();
      const startedAt = performance.now();
      const withKey = withoutKey !== true;
      const summary = await interruptible(session, (signal) => runBackup(session, { file, since, withKey }, signal));
      const seconds = (performance.now() - startedAt) / 1000;
      session.progress('');
      const print = file === STANDARD_STREAM ? session.note : session.print;
      print(json ? formatJson({ file, ...summary, seconds }) : describeBackup(file, summary, seconds, withKey));
    });
}

async function runBackup(
  { core, config, progress }: Session,
  { file, since, withKey }: { file: string; since?: string | undefined; withKey: boolean },
  signal: AbortSignal,
): Promise<BackupSummary> {
  const secretKey = await loadSecretKey(config);
  const keyFingerprint = fingerprintOf(secretKey);
  const earlier = since === undefined ? null : await openEarlierBackup(readBackupFile(since, signal));
  try {
    requireSameInstallation(since, earlier, keyFingerprint);
    return await writeBackupFile(file, signal, (sink) =>
      backup(core, sink, {
        berth: VERSION,
        secretKey: withKey ? secretKey : null,
        keyFingerprint,
        ...(earlier && { since: earlier }),
        onProgress: showProgress(progress),
      }),
    );
  } finally {
    await earlier?.close();
  }
}

function requireSameInstallation(file: string | undefined, earlier: EarlierBackup | null, fingerprint: string): void {
  if (earlier && earlier.keyFingerprint !== fingerprint)
    throw new Error(`${file} is a backup of another installation: its SECRET_KEY differs. Name a backup of this one.`);
}

/** Shows the progress at most ten times a second. */
export function showProgress(progress: Session['progress']): (doneBytes: number, totalBytes: number) => void {
  let shownAt = 0;
  return (doneBytes, totalBytes) => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    progress(`${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`);
  };
}

function describeBackup(file: string, summary: BackupSummary, seconds: number, withKey: boolean): string {
  const { deployments, accounts, packs, packBytes, earlierPacks, rowBytes, bytes } = summary;
  const name = file === STANDARD_STREAM ? 'the backup' : file;
  const earlier = earlierPacks === 0 ? '' : `; the earlier backups have ${formatCount(earlierPacks, 'more pack')}`;
  return [
    `Wrote ${name}: ${formatCount(deployments, 'deployment')} of ${formatCount(accounts, 'account')}, ${formatBytes(bytes)} in ${seconds.toFixed(1)} s.`,
    `It has ${formatCount(packs, 'pack')} with ${formatBytes(packBytes)}, and ${formatBytes(rowBytes)} of rows${earlier}.`,
    withKey
      ? 'It contains SECRET_KEY: protect it like the key.'
      : 'It does not contain SECRET_KEY: keep the key in another place, because a restore needs it.',
  ].join('\n');
}
