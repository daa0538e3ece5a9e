import { realpathSync, statSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { ClientError } from '../errors.ts';
import { yieldEvents } from '../progress.ts';
import { defaultCacheDir } from './cache-files.ts';
import { statOnDrive } from './drive.ts';
import { HashCache } from './hash-cache.ts';
import { amountOf, type HashedFile, hashFiles } from './hash-files.ts';
import { findFile, listFiles } from './list-files.ts';
import { refuseConflictingPaths } from './site-paths.ts';
import type { FolderEvent, FolderSnapshot, SkippedFile } from './snapshot.ts';

export interface ReadFolderOptions {
  /** The folder in which to remember hashes. Default: `berth` in the cache folder of the system. */
  cacheDir?: string | undefined;
  /** What to skip besides the lines of `.berthignore`, in the same syntax. */
  ignore?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** A snapshot of a folder, and the location of its files. */
export interface ReadFolder extends FolderSnapshot {
  /** The folder that contains the files: an absolute path with links resolved. */
  root: string;
  /** What was read, the folder or the HTML file: an absolute path with links resolved. */
  source: string;
  /** The names on disk of the paths whose Unicode form on disk differs. */
  diskNames: ReadonlyMap<string, string>;
}

/**
 * Reads the files to publish from a folder, with their hashes.
 *
 * An HTML file is read as a site of one page: it becomes the front page `index.html`, whatever its name.
 *
 * Skips junk, private files, links, special files, and everything that `.berthignore` lists. The result lists what was skipped.
 * A file that has not changed since the last run is not read. A file that changes while it is read is read again.
 *
 * @throws ClientError of the kind `folder` that names all files whose names are invalid for a site, or the file that cannot be
 *   read or keeps changing. Of the kind `aborted` if the caller aborted.
 * Source: api §3; security T2, T3.
 */
export function readFolder(
  folder: string,
  { cacheDir = defaultCacheDir(), ignore, signal }: ReadFolderOptions = {},
): AsyncGenerator<FolderEvent, ReadFolder, undefined> {
  return yieldEvents(signal, (emit, signal) => readFolderWithEvents(folder, { cacheDir, ignore }, emit, signal));
}

/** Returns true for the name of an HTML file. Such a file is a site of one page; any other file cannot be published alone. */
export function isHtmlFile(path: string): boolean {
  return /\.html?$/i.test(path);
}

/**
 * Returns the absolute path of a folder or an HTML file, with links resolved, and the folder that contains the files.
 *
 * @throws ClientError of the kind `folder` if the path does not exist, or is another kind of file.
 */
export function resolveSource(path: string): { root: string; source: string } {
  let source: string;
  let isFolder: boolean;
  try {
    source = realpathSync(path);
    const stats = statSync(source);
    isFolder = stats.isDirectory();
    if (stats.isFile() && isHtmlFile(path)) return { root: dirname(source), source };
  } catch (cause) {
    throw new ClientError('folder', `The folder ${path} does not exist.`, { cause });
  }
  if (isFolder) return { root: source, source };
  throw new ClientError('folder', `${path} is neither a folder nor an HTML file. Pass the folder that contains it.`);
}

/** Reads a folder as {@link readFolder} does, for callers that also emit other events. */
async function readFolderWithEvents(
  folder: string,
  { cacheDir, ignore = [] }: { cacheDir: string; ignore?: readonly string[] | undefined },
  emit: (event: FolderEvent) => void,
  signal: AbortSignal,
): Promise<ReadFolder> {
  await statOnDrive(folder, signal);
  const location = resolveSource(folder);
  const { root, source } = location;
  const cache = new HashCache(cacheDir, source);
  const startedMs = Date.now();
  const { found, skipped } =
    source === root
      ? await listFiles(root, ignore, startedMs, signal)
      : { found: [findFile(root, relative(root, source), 'index.html', startedMs)], skipped: [] };
  emit({ type: 'walked', total: amountOf(found), skipped: skipped.toSorted(byPath) });
  const hashed = await hashFiles(root, found, cache, startedMs, emit, signal);
  cache.save();
  const privateKeys = hashed.filter(({ privateKey }) => privateKey);
  return snapshotOf(
    location,
    hashed.filter(({ privateKey }) => !privateKey),
    [...skipped, ...privateKeys.map(({ path }): SkippedFile => ({ path, reason: 'private' }))],
  );
}

function snapshotOf(
  location: { root: string; source: string },
  hashed: readonly HashedFile[],
  skipped: readonly SkippedFile[],
): ReadFolder {
  const files = hashed.map(({ path, size, sha256 }) => ({ path, size, sha256 })).toSorted(byPath);
  const diskNames = new Map(hashed.filter(({ path, name }) => path !== name).map(({ path, name }) => [path, name]));
  if (diskNames.size > 0) refuseConflictingPaths(files.map(({ path }) => path));
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  return { ...location, files, totalBytes, skipped: skipped.toSorted(byPath), diskNames };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}
