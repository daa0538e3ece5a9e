import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientError } from '@berth/client';
import { UsageError } from '@berth/terminal';
import type { Command } from 'commander';
import { findSimilarName } from '../did-you-mean.ts';
import { suggestEquivalent, isForeignCommand } from '../foreign-commands.ts';

const FRONT_PAGE = 'index.html';

/**
 * Checks that an argument is a folder, and is meant as one. A word without a slash could also be a command. It counts as a
 * folder only if the folder has a front page and no comparable tool has a command of that name.
 *
 * @param isExplicit Whether the command was named, as in `berth publish logs`.
 * @throws UsageError for a word that may be a command, ClientError `folder` for a path that is not a folder.
 */
export async function requireFolder(program: Command, folder: string, isExplicit: boolean): Promise<void> {
  const found = await stat(folder).catch(() => null);
  const isFolder = found?.isDirectory() === true;
  const isWord = !isExplicit && !/^\.|[/\\]/.test(folder);
  if (isWord && isForeignCommand(folder))
    throw new UsageError(unknownCommandMessage(folder, isFolder ? `Use berth ./${folder} to publish the folder` : ''));
  if (isFolder && isWord && !(await isFile(join(folder, FRONT_PAGE))))
    throw new UsageError(`The folder "${folder}" has no ${FRONT_PAGE}. Use berth ./${folder} to publish it anyway`);
  if (isFolder) return;
  if (found) throw new ClientError('folder', `${folder} is a file. Pass the folder that contains the built site`);
  const names = program.commands.map((command) => command.name());
  const suggestion = /^[a-z-]+$/i.test(folder) ? findSimilarName(folder, names) : null;
  if (suggestion === null) throw new ClientError('folder', `The folder ${folder} does not exist`);
  throw new UsageError(`There is neither a command nor a folder "${folder}". Did you mean berth ${suggestion}?`);
}

/** Returns the message for an unknown command, with what to type instead. */
export function unknownCommandMessage(word: string, more = ''): string {
  return [`There is no command "${word}".`, suggestEquivalent(word), more].filter((part) => part !== '').join(' ');
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
