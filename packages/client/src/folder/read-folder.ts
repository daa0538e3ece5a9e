import { realpathSync, statSync } from 'node:fs';
import { ClientError } from '../errors.ts';
import { yieldEvents } from '../progress.ts';
import { defaultCacheDir } from './cache-files.ts';
import { statOnDrive } from './drive.ts';
import { HashCache } from './hash-cache.ts';
import { amountOf, type HashedFile, hashFiles } from './hash-files.ts';
import { listFiles } from './list-files.ts';
import { refuseConflictingPaths } from './site-paths.ts';
import type { FolderEvent, FolderSnapshot, SkippedFile } from './snapshot.ts';

export interface ReadFolderOptions {
  /** The folder in which to remember hashes. Default: `berth` in the cache folder of the system. */
  cacheDir?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A snapshot of a folder, and the location of its files. */
export interface ReadFolder extends FolderSnapshot {
  /** The folder: an absolute path with links resolved. */
  root: string;
  /** The names on disk of the paths whose Unicode form on disk differs. */
  diskNames: ReadonlyMap<string, string>;
}

/**
 * Reads the files to publish from a folder, with their hashes.
 *
 * Skips junk, private files, links, special files, and everything that `.berthignore` lists. The result lists what was skipped.
 * A file that has not changed since the last run is not read. A file that changes while it is read is read again.
 *
 * @throws ClientError of the kind `folder` that names the file: it cannot be read, keeps changing, has a name that is invalid
 *   for a site, or must not be published, such as a program. Of the kind `aborted` if the caller aborted.
 * Source: api §3; security T2, T3.
 */
export function readFolder(
  folder: string,
  { cacheDir = defaultCacheDir(), signal }: ReadFolderOptions = {},
): AsyncGenerator<FolderEvent, ReadFolder, undefined> {
  return yieldEvents(signal, (emit, signal) => readFolderWithEvents(folder, cacheDir, emit, signal));
}

/** Returns the absolute path of a folder, with links resolved. @throws ClientError of the kind `folder`. */
export function resolveFolder(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch (cause) {
    throw new ClientError('folder', `The folder ${folder} does not exist.`, { cause });
  }
  throw new ClientError('folder', `${folder} is a file. Pass the folder that contains it.`);
}

/** Reads a folder as {@link readFolder} does, for callers that also emit other events. */
export async function readFolderWithEvents(
  folder: string,
  cacheDir: string,
  emit: (event: FolderEvent) => void,
  signal: AbortSignal,
): Promise<ReadFolder> {
  await statOnDrive(folder, signal);
  const root = resolveFolder(folder);
  const cache = new HashCache(cacheDir, root);
  const startedMs = Date.now();
  const { found, skipped } = await listFiles(root, signal);
  emit({ type: 'walked', total: amountOf(found), skipped: skipped.toSorted(byPath) });
  const hashed = await hashFiles(root, found, cache, startedMs, emit, signal);
  cache.save();
  const privateKeys = hashed.filter(({ privateKey }) => privateKey);
  return snapshotOf(
    root,
    hashed.filter(({ privateKey }) => !privateKey),
    [...skipped, ...privateKeys.map(({ path }): SkippedFile => ({ path, reason: 'private' }))],
  );
}

function snapshotOf(root: string, hashed: readonly HashedFile[], skipped: readonly SkippedFile[]): ReadFolder {
  const files = hashed.map(({ path, stats, sha256 }) => ({ path, size: Number(stats.size), sha256 })).toSorted(byPath);
  const diskNames = new Map(hashed.filter(({ path, name }) => path !== name).map(({ path, name }) => [path, name]));
  if (diskNames.size > 0) refuseConflictingPaths(files.map(({ path }) => path));
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  return { root, files, totalBytes, skipped: skipped.toSorted(byPath), diskNames };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}
