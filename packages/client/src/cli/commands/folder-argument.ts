import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { ClientError } from '../../errors.ts';
import { closest } from '../did-you-mean.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Makes sure that a folder is there. A word that is none may be a command that was mistyped.
 *
 * @throws UsageError for such a word, ClientError `folder` for a path.
 */
export async function requireFolder(program: Command, folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory()) return;
  if (found) throw new ClientError('folder', `${folder} is a file; give the folder that the build writes`);
  const names = program.commands.map((command) => command.name());
  const meant = /^[a-z-]+$/i.test(folder) ? closest(folder, names) : null;
  if (meant === null) throw new ClientError('folder', `There is no folder ${folder}`);
  throw new UsageError(`There is neither a command nor a folder "${folder}". Did you mean berth ${meant}?`);
}
