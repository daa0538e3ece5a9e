import { realpathSync, statSync } from 'node:fs';
import { findPathConflict } from '@berth/contract';
import { ClientError } from '../errors.ts';
import { createTurns, withEvents } from '../progress.ts';
import { defaultCacheDir } from './cache-files.ts';
import { askDrive } from './drive.ts';
import type { FolderEvent } from './events.ts';
import { folderError } from './folder-errors.ts';
import { openHashCache } from './hash-cache.ts';
import type { HashedFile } from './hash-file.ts';
import { createHashing } from './hashing.ts';
import type { FolderSnapshot, SkippedFile } from './snapshot.ts';
import { walk } from './walk.ts';

export interface ReadFolderOptions {
  /** Where hashes are remembered. Default: `berth` in the system's folder for caches. */
  cacheDir?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A snapshot, and where its files are. */
export interface ReadFolder extends FolderSnapshot {
  /** The folder: absolute, links resolved. */
  root: string;
  /** How the disk spells the paths that it spells in another way. */
  diskNames: ReadonlyMap<string, string>;
}

/**
 * Reads a folder: which files are to be published, and what they consist of.
 *
 * Junk, what is private, what `.berthignore` names, links and what is no file are left out, and told. A file that is known
 * from before in the same state is not read. One that changes while it is read is read again.
 *
 * @throws ClientError of the kind `folder`, naming the file: it cannot be read, goes on changing, has a name that no site
 *   can have, or must not be published, such as a program. Of the kind `aborted` when the caller gave up.
 * Source: contract §3; security T2, T3.
 */
export function readFolder(
  folder: string,
  { cacheDir = defaultCacheDir(), signal }: ReadFolderOptions = {},
): AsyncGenerator<FolderEvent, ReadFolder, undefined> {
  return withEvents(signal, (tell, signal) => readFolderTelling(folder, cacheDir, tell, signal));
}

/** Where a folder is. @throws ClientError of the kind `folder` when there is none. */
function rootOf(folder: string): string {
  try {
    const root = realpathSync(folder);
    if (statSync(root).isDirectory()) return root;
  } catch (cause) {
    throw new ClientError('folder', `There is no folder ${folder}.`, { cause });
  }
  throw new ClientError('folder', `${folder} is a file; name the folder that it lies in.`);
}

/** The same, for what tells of more. */
export async function readFolderTelling(
  folder: string,
  cacheDir: string,
  tell: (event: FolderEvent) => void,
  given: AbortSignal,
): Promise<ReadFolder> {
  await askDrive(folder, given);
  const root = rootOf(folder);
  const failed = new AbortController();
  const signal = AbortSignal.any([given, failed.signal]);
  const cache = openHashCache(cacheDir, root);
  const skipped: SkippedFile[] = [];
  const hashing = createHashing(root, cache, tell, signal);
  const walking = async () => {
    await walk(root, { file: hashing.add, skip: (file) => skipped.push(file) }, createTurns(signal));
    hashing.end(skipped.toSorted(byPath));
  };
  const running = [walking(), hashing.small(), hashing.large()];
  try {
    await Promise.all(running);
  } catch (thrown) {
    failed.abort();
    await Promise.allSettled(running);
    throw thrown;
  }
  cache.save();
  return snapshotOf(root, hashing.files, [...skipped, ...hashing.privateKeys]);
}

function snapshotOf(root: string, hashed: readonly HashedFile[], skipped: readonly SkippedFile[]): ReadFolder {
  const files = hashed.map(({ path, stats, sha256 }) => ({ path, size: Number(stats.size), sha256 })).toSorted(byPath);
  const diskNames = new Map(hashed.filter(({ path, name }) => path !== name).map(({ path, name }) => [path, name]));
  if (diskNames.size > 0) refuseClash(files.map(({ path }) => path));
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  return { root, files, totalBytes, skipped: skipped.toSorted(byPath), diskNames };
}

/** No two files of a disk have one name, but two names can be one path of a site. */
function refuseClash(paths: readonly string[]): void {
  const clash = findPathConflict(paths);
  if (!clash) return;
  const { first, second } = clash;
  throw folderError(second, first === second ? 'two files have this name, in different Unicode forms' : clash.reason);
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1;
}
