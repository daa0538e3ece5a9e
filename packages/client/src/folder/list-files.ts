import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJunk, normalizePath, privatePath, refusedPath } from '@berth/contract';
import ignore from 'ignore';
import { TimeSlices } from '../progress.ts';
import { folderError, unreadableError } from './folder-errors.ts';
import type { SkippedFile, SkipReason } from './snapshot.ts';

/** A file that was found but not read yet. */
export interface FoundFile {
  /** The path on the site. */
  path: string;
  /** The path on disk, which may be spelled differently. */
  name: string;
  stats: BigIntStats;
}

/** The file at the root of a folder that lists what to skip, in the syntax of `.gitignore`. It is itself skipped. */
const IGNORE_FILE = '.berthignore';

/**
 * Lists the files of a folder. Does not follow links. Skipped folders are not entered, and are reported with a slash at the
 * end.
 *
 * Runs on one thread, in short turns: names and states come from memory, and sending each request to another thread takes five
 * times as long as the request itself.
 *
 * @throws ClientError of the kind `folder` if something cannot be read, or must not be published but is not private.
 */
export async function listFiles(
  root: string,
  signal: AbortSignal,
): Promise<{ found: FoundFile[]; skipped: SkippedFile[] }> {
  const slices = new TimeSlices(signal);
  const found: FoundFile[] = [];
  const skipped: SkippedFile[] = [];
  const ignored = readIgnoreFile(root);
  const folders = [''];
  for (let folder: string | undefined; (folder = folders.pop()) !== undefined;) {
    for (const entry of readEntries(root, folder)) {
      if (slices.isOver()) await slices.next();
      const name = folder + entry.name + (entry.isDirectory() ? '/' : '');
      const reason = reasonToSkip(name, entry, ignored);
      if (reason) skipped.push({ path: name, reason });
      else if (entry.isDirectory()) folders.push(name);
      else found.push(toFoundFile(root, name));
    }
  }
  return { found, skipped };
}

function readEntries(root: string, folder: string): Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (thrown) {
    throw unreadableError(folder || '.', thrown);
  }
}

/** Private files are skipped regardless of the rules in the folder. */
function reasonToSkip(name: string, entry: Dirent, ignored: (name: string) => boolean): SkipReason | null {
  if (isJunk(name)) return 'junk';
  if (privatePath(name)) return 'private';
  if (ignored(name)) return 'ignored';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() || entry.isDirectory() ? null : 'not-a-file';
}

function toFoundFile(root: string, name: string): FoundFile {
  const read = normalizePath(name);
  if (!read.ok) throw folderError(name, read.reason);
  const refused = refusedPath(read.path);
  if (refused) throw folderError(read.path, refused);
  try {
    return { path: read.path, name, stats: lstatSync(`${root}/${name}`, { bigint: true }) };
  } catch (thrown) {
    throw unreadableError(name, thrown);
  }
}

/**
 * Reads the {@link IGNORE_FILE} at the root. Files of that name in subfolders have no effect.
 *
 * @returns A function that returns true if a name must be skipped. Names of folders end with a slash.
 * @throws ClientError of the kind `folder` if the file exists and cannot be read.
 */
function readIgnoreFile(root: string): (name: string) => boolean {
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
