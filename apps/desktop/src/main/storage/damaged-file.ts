import { basename } from 'node:path';
import type { Problem } from '../../shared/problem.ts';

/** For each file of the app: the message about the loss and what the user can do. */
const LOSSES: Readonly<Record<string, readonly [lost: string, next: string]>> = {
  'settings.json': ['Your settings could not be read and were reset.', 'Choose your settings again under Settings.'],
  'servers.json': [
    'The list of your servers could not be read and was reset. Folders of missing servers are paused.',
    'Add your servers again under Settings, then resume the folders.',
  ],
  'folders.json': [
    'The list of your watched folders could not be read, so no folder is watched. Their sites stay online.',
    'Watch your folders again under Folders, with the same names.',
  ],
  'publishings.json': [
    'The list of published items could not be read and was reset. Sites stay online; queued items were not published.',
    'Publish the queued items again. The damaged file has the links.',
  ],
};

/**
 * Describes the loss of a damaged file to the user: which data is lost, where the copy is, and what to do.
 *
 * @param path The path of the file. @param copy The path to which the file was moved.
 */
export function dataLossProblem(path: string, copy: string): Problem {
  const name = basename(path);
  const [lost, next = null] = LOSSES[name] ?? [`The file ${name} of the app could not be read.`];
  return { kind: 'unexpected', message: `${lost} The damaged file was moved to ${copy}.`, next, file: null };
}
