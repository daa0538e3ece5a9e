import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import { unreadableError } from './folder-errors.ts';

/** The file at the root of a folder that lists what to skip, in the syntax of `.gitignore`. It is itself skipped. */
const IGNORE_FILE = '.berthignore';

/**
 * Reads the {@link IGNORE_FILE} at the root. Files of that name in subfolders have no effect.
 *
 * @returns A function that returns true if a name must be skipped. Names of folders end with a slash.
 * @throws ClientError of the kind `folder` if the file exists and cannot be read.
 */
export function readIgnoreFile(root: string): (name: string) => boolean {
  const path = join(root, IGNORE_FILE);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return () => false;
  const rules = ignore().add(textOf(path)).add(`/${IGNORE_FILE}`);
  return (name) => rules.ignores(name);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw unreadableError(IGNORE_FILE, thrown);
  }
}
