import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJunk, normalizePath, privatePath, refusedPath } from '@berth/contract';
import ignore from 'ignore';
import { createTimeSlices } from '../progress.ts';
import { folderError, readOrRefuse } from './folder-errors.ts';
import type { SkippedFile, SkipReason } from './snapshot.ts';

/** A file of the listing, which has not been read. */
export interface FoundFile {
  /** The path on the site. */
  path: string;
  /** The path on disk, whose Unicode form may differ. */
  name: string;
  stats: BigIntStats;
}

/** The file at the root of a folder that lists what to skip, in the syntax of `.gitignore`. The file itself is skipped too. */
const IGNORE_FILE = '.berthignore';

/**
 * Lists the files of a folder. Does not follow links or read skipped subfolders, whose paths end with a slash in the result.
 *
 * Runs on this thread, because sending each system call to another thread takes five times as long as the call itself.
 *
 * @param ignorePatterns More patterns to skip, in the syntax of `.gitignore`.
 * @throws ClientError of the kind `folder` if something cannot be read, or must not be published but is not private.
 */
export async function listFiles(
  root: string,
  ignorePatterns: readonly string[],
  signal: AbortSignal,
): Promise<{ found: FoundFile[]; skipped: SkippedFile[] }> {
  const slices = createTimeSlices(signal);
  const found: FoundFile[] = [];
  const skipped: SkippedFile[] = [];
  const ignored = readIgnoreRules(root, ignorePatterns);
  const folders = [''];
  for (let folder: string | undefined; (folder = folders.pop()) !== undefined;) {
    const entries = readOrRefuse(folder || '.', () => readdirSync(join(root, folder), { withFileTypes: true }));
    for (const entry of entries) {
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

/** Returns the entry of an HTML file that is published alone, as the front page. @param name The name of the file in `root`. */
export function listPage(root: string, name: string): FoundFile {
  return { path: 'index.html', name, stats: readOrRefuse(name, () => lstatSync(join(root, name), { bigint: true })) };
}

/** Returns the reason to skip an entry. The rules in `.berthignore` cannot include a private file. */
function reasonToSkip(name: string, entry: Dirent, ignored: (name: string) => boolean): SkipReason | null {
  if (isJunk(name)) return 'junk';
  if (privatePath(name)) return 'private';
  if (ignored(name)) return 'ignored';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() || entry.isDirectory() ? null : 'not-a-file';
}

function toFoundFile(root: string, name: string): FoundFile {
  const normalized = normalizePath(name);
  if (!normalized.ok) throw folderError(name, normalized.reason);
  const { path } = normalized;
  const refused = refusedPath(path);
  if (refused) throw folderError(path, refused);
  return { path, name, stats: readOrRefuse(name, () => lstatSync(`${root}/${name}`, { bigint: true })) };
}

/**
 * Combines the {@link IGNORE_FILE} with other patterns. Returns a function that returns true if a name must be skipped. Folders
 * end with a slash.
 */
function readIgnoreRules(root: string, patterns: readonly string[]): (name: string) => boolean {
  const path = join(root, IGNORE_FILE);
  const hasFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (!hasFile && patterns.length === 0) return () => false;
  const text = hasFile ? readOrRefuse(IGNORE_FILE, () => readFileSync(path, 'utf8')) : '';
  const rules = ignore().add(patterns).add(text);
  if (hasFile) rules.add(`/${IGNORE_FILE}`);
  return (name) => rules.ignores(name);
}
