import { existsSync, statSync } from 'node:fs';
import { ClientError, type DeployArchiveInput } from '@berth/client';
import { UsageError } from '@berth/terminal';
import type { Session } from '../session.ts';
import type { CommandContext } from './define.ts';
import { fullDomain } from './domains.ts';
import { type PublishOptions, readSiteOptions } from './publication.ts';
import { confirmReplacing } from './replacing.ts';
import { publish } from './run-deploy.ts';

const STANDARD_INPUT = '-';
const ARCHIVE_NAME = /\.(?:zip|tar|tgz|tar\.gz|tar\.zst)$/i;

/** Returns true for the name of an archive, which may be missing, and for `-`. A folder is never an archive. */
export function isArchive(typed: string): boolean {
  if (typed === STANDARD_INPUT) return true;
  return ARCHIVE_NAME.test(typed) && !(existsSync(typed) && statSync(typed).isDirectory());
}

/**
 * Publishes an archive from a file or standard input, and prints the progress and the result.
 *
 * @throws UsageError for options that need a folder, and for a standard input that is not an archive; ClientError.
 */
export async function publishArchive(
  session: Session,
  { errorContext }: CommandContext,
  typed: string,
  options: PublishOptions,
): Promise<void> {
  const { client, parts, signal, asks } = session;
  errorContext.isArchive = true;
  if (options.dryRun)
    throw new UsageError('--dry-run compares the files of a folder. Unpack the archive and pass its folder');
  if (options.build) throw new UsageError('--build runs the command of berth.json. Omit the archive to use both');
  const archive = openInput(session, typed, options);
  const input = { ...(await readSiteOptions(session, options)), archive, ttl: options.ttl, keep: options.keep };
  if (asks && input.domain !== undefined) await confirmReplacing(session, await fullDomain(client, input.domain), null);
  await publish(session, parts.deployArchive(input, { signal }), []);
}

/** Returns the path of the archive, or standard input. @throws UsageError; ClientError `folder` for a missing file. */
function openInput(
  { terminal }: Session,
  typed: string,
  { password }: Pick<PublishOptions, 'password'>,
): DeployArchiveInput['archive'] {
  if (typed !== STANDARD_INPUT) {
    if (!existsSync(typed)) throw new ClientError('folder', `The archive ${typed} does not exist`);
    return typed;
  }
  if (terminal.input === null)
    throw new UsageError('Standard input is a terminal, not an archive. Pipe an archive in: tar -c . | berth -');
  if (password === '-')
    throw new UsageError('Standard input is the archive, so the password cannot be typed. Set BERTH_PASSWORD instead');
  return terminal.input;
}
