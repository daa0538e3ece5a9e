import { requireUnusedStore } from '@berth/core';
import { restore, type RestoreKey, type RestoreMarker, type RestoreSummary } from '@berth/core/operator';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { fingerprintOf, readSecretKey, removeSecretKey, storeSecretKey } from '../config/secret-key.ts';
import { formatCount } from '../pages/format.ts';
import {
  readRestoreRecord,
  removeRestoreRecord,
  type RestoreRecord,
  writeRestoreRecord,
} from '../service/restore-marker.ts';
import { showProgress } from './backup.ts';
import { interruptible, readBackupFile, STANDARD_STREAM } from './backup-files.ts';
import {
  examples,
  formatBytes,
  formatJson,
  JSON_OPTION,
  type JsonOption,
  type OpenSession,
  type OpenTarget,
  PROGRAM,
} from './session.ts';

interface RestoreOptions extends JsonOption {
  newKey?: boolean;
}

export function addRestore(program: Command, _open: OpenSession, openTarget: OpenTarget): void {
  program
    .command('restore')
    .summary('Restore a backup into an empty installation.')
    .description(
      'Restore a full backup, and its increments in order, into an empty database and an empty DATA_DIR, or bucket. No server must ' +
        'be running. Checks every byte, and changes nothing if one is damaged. Accepts backups of older versions.',
    )
    .argument('<full>', 'the full backup; - for standard input')
    .argument('[increments...]', 'its increments, oldest first')
    .option(
      '--new-key',
      'accept another SECRET_KEY than that of the backup; custom apex domains must be verified again',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('restore monday.tar', 'restore monday.tar tuesday.tar'))
    .action(async (full: string, increments: readonly string[], { newKey = false, json }: RestoreOptions) => {
      const files = [full, ...increments];
      if (files.length > 1 && files.includes(STANDARD_STREAM))
        throw new UsageError('Name the files of a chain; - is only possible for a single backup');
      const session = await openTarget();
      const { config, target, print, progress } = session;
      const startedAt = performance.now();
      await requireUnusedStore(target.marker);
      const record = await readRestoreRecord(config.dataDir);
      const summary = await interruptible(session, async (signal) =>
        restore(
          target,
          files.map((file) => readBackupFile(file, signal)),
          {
            key: await chooseKey(config, record, newKey),
            marker: await createMarker(config, record),
            onProgress: showProgress(progress),
          },
        ),
      );
      progress('');
      const seconds = (performance.now() - startedAt) / 1000;
      print(json ? formatJson({ ...summary, seconds }) : describe(summary, seconds));
    });
}

/** Compares the configured key with that of the backup. A key that an interrupted restore has stored does not count. */
async function chooseKey(config: Config, record: RestoreRecord | null, newKey: boolean): Promise<RestoreKey> {
  const { dataDir } = config;
  const stored = record && !record.hadKey ? null : await readSecretKey(dataDir);
  const configured = config.secretKey ?? stored;
  return {
    check({ fingerprint, included }) {
      if (configured ? fingerprintOf(configured) === fingerprint : included && !newKey) return true;
      if (newKey) return false;
      throw new Error(
        configured
          ? `The key of the backup is not the SECRET_KEY of ${config.secretKey ? 'the environment' : dataDir}. ` +
              `Set SECRET_KEY to the key of the installation that was backed up${included ? ', or remove it to use the key in the backup' : ''}. ${NEW_KEY_ADVICE}`
          : `The backup does not contain SECRET_KEY, and no key is configured. Set SECRET_KEY to the key of the installation that was backed up. ${NEW_KEY_ADVICE}`,
      );
    },
    async store(key) {
      if (configured || newKey) return;
      await removeSecretKey(dataDir);
      await storeSecretKey(dataDir, key);
    },
  };
}

const NEW_KEY_ADVICE =
  'With --new-key the installation gets another key: apex domains must then be verified again, visitors enter site passwords again, and clients get new cursors.';

async function createMarker({ dataDir }: Config, record: RestoreRecord | null): Promise<RestoreMarker> {
  const { hadKey } = record ?? { hadKey: (await readSecretKey(dataDir)) !== null };
  return {
    wasInterrupted: record !== null,
    begin: () => writeRestoreRecord(dataDir, { hadKey }),
    async end(outcome) {
      if (outcome === 'empty' && !hadKey) await removeSecretKey(dataDir);
      await removeRestoreRecord(dataDir);
    },
  };
}

function describe(
  { created, deployments, accounts, packs, packBytes, schema }: RestoreSummary,
  seconds: number,
): string {
  const migrated =
    schema.from === schema.to ? [] : [`Migrated the database from schema ${schema.from} to ${schema.to}.`];
  return [
    `Restored the backup of ${created}: ${formatCount(deployments, 'deployment')} of ${formatCount(accounts, 'account')}, ${formatCount(packs, 'pack')} with ${formatBytes(packBytes)}, in ${seconds.toFixed(1)} s.`,
    ...migrated,
    `Check it with "${PROGRAM} doctor", then start the server.`,
  ].join('\n');
}
