import { basename } from 'node:path';
import type { Problem } from '../../shared/problem.ts';

/** What is lost with each file of the app, and what the user can do about it, by file name. */
const LOST: Readonly<Record<string, readonly [lost: string, next: string]>> = {
  'settings.json': [
    'Your settings could not be read, and are as they were at first.',
    'Choose them anew under Settings.',
  ],
  'servers.json': [
    'The list of your servers could not be read, and begins anew. Folders of a server that is not on it are paused.',
    'Add your servers again under Settings, and resume the folders.',
  ],
  'folders.json': [
    'The list of your watched folders could not be read: none is watched any more. Their sites stay as they are.',
    'Watch them again under Folders, with the names that they had.',
  ],
  'publishings.json': [
    'The list of what you published could not be read, and is empty. What is live stays live; what was waiting is not published.',
    'Publish again what was waiting. The links are in the copy.',
  ],
};

/**
 * Describes the loss of a damaged file to the user: what is lost, where the copy is, and what to do.
 *
 * @param path The path of the file. @param copy The path it was moved to.
 */
export function dataLossProblem(path: string, copy: string): Problem {
  const name = basename(path);
  const [lost, next = null] = LOST[name] ?? [`${name} of the app could not be read.`];
  return { kind: 'unexpected', message: `${lost} The damaged file is kept as ${copy}.`, next, file: null };
}
