import { createHash, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import { createTimeSlices } from '../time-slices.ts';
import { changingFileError, readOrRefuse, unreadableError } from './folder-errors.ts';
import { fileStateOf } from './file-state.ts';
import type { HashCache } from './hash-cache.ts';
import { findFile, type FoundFile } from './list-files.ts';
import { readLargeFile, readSmallFile, SMALL_FILE_BYTES } from './read-file.ts';
import { createPrivateKeyFinder } from './site-paths.ts';
import type { Amount, FolderEvent } from './snapshot.ts';

/** How many times to hash a file again if it changed while it was read. */
const MAX_READ_RETRIES = 3;
const RETRY_PAUSE_MS = 50;

/** A file and its hash. `privateKey` is true if the file contains a private key. */
export type HashedFile = FoundFile & { sha256: string; privateKey: boolean };

/**
 * Hashes the files of a folder, and emits progress. This thread reads the small files. Meanwhile other threads read the large
 * files, one at a time.
 *
 * @param cache Provides known hashes, and receives the hash of every settled file.
 * @param startedMs When the folder was listed, in Unix milliseconds.
 * @throws ClientError of the kind `folder` if a file cannot be read or keeps changing.
 */
export async function hashFiles(
  root: string,
  found: readonly FoundFile[],
  cache: HashCache,
  startedMs: number,
  emit: (event: FolderEvent) => void,
  callerSignal: AbortSignal,
): Promise<HashedFile[]> {
  const failureAbort = new AbortController();
  const signal = AbortSignal.any([callerSignal, failureAbort.signal]);
  const slices = createTimeSlices(signal);
  const isProgressDue = createThrottle(PROGRESS_INTERVAL_MS);
  const hashed: HashedFile[] = [];
  const unknownFiles: FoundFile[] = [];
  const doneAmount: Amount = { files: 0, bytes: 0 };
  for (const file of found) {
    if (slices.isOver()) await slices.next();
    const sha256 = cache.find(file.name, file.state);
    if (sha256 === null) unknownFiles.push(file);
    else {
      hashed.push({ ...file, sha256, privateKey: false });
      addFile(doneAmount, file);
    }
  }
  const [total, cached] = [amountOf(found), { ...doneAmount }];

  function emitProgress(): void {
    if (isProgressDue() || doneAmount.files === total.files)
      emit({ type: 'hashed', done: { ...doneAmount }, total, cached });
  }

  /** Counts the size that the file had in the listing, so that the progress ends exactly at the total. */
  function record(file: FoundFile, result: HashedFile): void {
    hashed.push(result);
    if (!result.privateKey && result.isSettled) cache.add(result.name, result.state, result.sha256);
    addFile(doneAmount, file);
    emitProgress();
  }

  async function hashLargeFiles(): Promise<void> {
    for (const file of unknownFiles.filter(isLarge))
      record(file, (await hashLargeFile(root, file, signal)) ?? (await hashChangedFile(root, file, startedMs, signal)));
  }

  async function hashSmallFiles(): Promise<void> {
    for (const file of unknownFiles.filter((file) => !isLarge(file))) {
      if (slices.isOver()) await slices.next();
      record(file, hashSmallFile(root, file) ?? (await hashChangedFile(root, file, startedMs, signal)));
    }
  }

  if (unknownFiles.length === 0) emitProgress();
  const hashingRuns = [hashLargeFiles(), hashSmallFiles()];
  try {
    await Promise.all(hashingRuns);
  } catch (thrown) {
    failureAbort.abort();
    await Promise.allSettled(hashingRuns);
    throw thrown;
  }
  return hashed;
}

/** Returns the number of files, and their total size. */
export function amountOf(files: readonly FoundFile[]): Amount {
  const totalAmount: Amount = { files: 0, bytes: 0 };
  for (const file of files) addFile(totalAmount, file);
  return totalAmount;
}

function addFile(amount: Amount, { size }: FoundFile): void {
  amount.files += 1;
  amount.bytes += size;
}

function isLarge({ size }: FoundFile): boolean {
  return size > SMALL_FILE_BYTES;
}

/** Reads and hashes a small file. Returns `null` if the file changed since it was listed. */
function hashSmallFile(root: string, found: FoundFile): HashedFile | null {
  const { bytes, stats } = readOrRefuse(found.path, () => readSmallFile(`${root}/${found.name}`, found.size));
  if (fileStateOf(stats) !== found.state) return null;
  const privateKey = createPrivateKeyFinder(found.path)(() => bytes.toString('latin1'));
  return { ...found, sha256: hash('sha256', bytes), privateKey };
}

/** Reads and hashes a file of any size, piece by piece. Returns `null` if the file changed since it was listed. */
async function hashLargeFile(root: string, found: FoundFile, signal: AbortSignal): Promise<HashedFile | null> {
  const digest = createHash('sha256');
  const findPrivateKey = createPrivateKeyFinder(found.path);
  let privateKey = false;
  try {
    const pieces = readLargeFile(`${root}/${found.name}`);
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) {
        if (value === null || fileStateOf(value) !== found.state) return null;
        return { ...found, sha256: digest.digest('hex'), privateKey };
      }
      if (signal.aborted) await pieces.return(null);
      signal.throwIfAborted();
      digest.update(value);
      privateKey = findPrivateKey(() => value.toString('latin1'));
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw unreadableError(found.path, thrown);
  }
}

/** Hashes a file that changed while it was read, as soon as the file stops changing. */
async function hashChangedFile(
  root: string,
  { name, path }: FoundFile,
  startedMs: number,
  signal: AbortSignal,
): Promise<HashedFile> {
  for (let attempt = 1; attempt <= MAX_READ_RETRIES; attempt += 1) {
    await sleep(RETRY_PAUSE_MS, undefined, { signal });
    const freshFile = findFile(root, name, path, startedMs);
    const hashed = isLarge(freshFile) ? await hashLargeFile(root, freshFile, signal) : hashSmallFile(root, freshFile);
    if (hashed) return hashed;
  }
  throw changingFileError(path);
}
