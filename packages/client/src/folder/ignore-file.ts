import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import { unreadable } from './folder-errors.ts';

/** The file at the root of a folder that names what is left out, in the syntax of `.gitignore`. It is left out itself. */
export const IGNORE_FILE = '.berthignore';

/**
 * Reads the {@link IGNORE_FILE} at the root; those in folders below have no meaning.
 *
 * @returns Whether a name is left out; names of folders end with a slash.
 * @throws ClientError of the kind `folder` when it is there and cannot be read.
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
    throw unreadable(IGNORE_FILE, thrown);
  }
}
