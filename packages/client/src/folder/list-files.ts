import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTimeSlices } from '../time-slices.ts';
import { readOrRefuse } from './folder-errors.ts';
import { IGNORE_FILE, ignoreRulesOf, type IgnoreRules, publishedPath, reasonToSkipName } from './site-paths.ts';
import type { SkippedFile, SkipReason } from './snapshot.ts';

/** A file of the listing, which has not been read. */
export interface FoundFile {
  /** The path on the site. */
  path: string;
  /** The path on disk, whose Unicode form may differ. */
  name: string;
  stats: BigIntStats;
}

/**
 * Lists the files of a folder. Does not follow links or read skipped subfolders, whose paths end with a slash in the result.
 *
 * Runs on this thread, because sending each system call to another thread takes five times as long as the call itself.
 *
 * @throws ClientError of the kind `folder` if something cannot be read, or must not be published but is not private.
 */
export async function listFiles(
  root: string,
  signal: AbortSignal,
): Promise<{ found: FoundFile[]; skipped: SkippedFile[] }> {
  const slices = createTimeSlices(signal);
  const found: FoundFile[] = [];
  const skipped: SkippedFile[] = [];
  const ignored = readIgnoreFile(root);
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

function reasonToSkip(name: string, entry: Dirent, ignored: IgnoreRules): SkipReason | null {
  const reason = reasonToSkipName(name, ignored);
  if (reason) return reason;
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() || entry.isDirectory() ? null : 'not-a-file';
}

function toFoundFile(root: string, name: string): FoundFile {
  const path = publishedPath(name);
  return { path, name, stats: readOrRefuse(name, () => lstatSync(`${root}/${name}`, { bigint: true })) };
}

function readIgnoreFile(root: string): IgnoreRules {
  const path = join(root, IGNORE_FILE);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return () => false;
  return ignoreRulesOf(readOrRefuse(IGNORE_FILE, () => readFileSync(path, 'utf8')));
}
