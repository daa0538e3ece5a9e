import { createTimeSlices, createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import type { FolderEvent } from './events.ts';
import { isSettled, fileStateOf } from './file-state.ts';
import type { HashCache } from './hash-cache.ts';
import { hashChangedFile, type HashedFile, hashLargeFile, hashSmallFile, isLarge } from './hash-file.ts';
import { createQueue } from './queue.ts';
import type { SkippedFile } from './snapshot.ts';
import type { FoundFile } from './list-files.ts';

/** Hashes the files of a folder while it is scanned. */
export interface Hashing {
  /** Adds a file that was found. */
  add(found: FoundFile): void;
  /** Ends the list of files. @param skipped What the scan skipped. */
  end(skipped: readonly SkippedFile[]): void;
  /** Hashes the small files, alternating with the scan. Resolves after the last one. */
  hashSmallFiles(): Promise<void>;
  /** Hashes the large files, one at a time, while other threads read. Resolves after the last one. */
  hashLargeFiles(): Promise<void>;
  /** The files with their hashes, new or cached. */
  readonly files: readonly HashedFile[];
  /** The files that contain a private key. */
  readonly privateKeys: readonly SkippedFile[];
}

/** @param cache Provides known hashes, and receives the hash of every settled file. */
export function createHashing(
  root: string,
  cache: HashCache,
  emit: (event: FolderEvent) => void,
  signal: AbortSignal,
): Hashing {
  const startedMs = Date.now();
  const files: HashedFile[] = [];
  const privateKeys: SkippedFile[] = [];
  const waiting = { small: createQueue<FoundFile>(), large: createQueue<FoundFile>() };
  const total = { files: 0, bytes: 0 };
  const done = { files: 0, bytes: 0 };
  const cached = { files: 0, bytes: 0 };
  const isProgressDue = createThrottle(PROGRESS_INTERVAL_MS);
  let ended = false;

  function emitProgress(): void {
    const isLast = done.files === total.files;
    if (ended && (isProgressDue() || isLast))
      emit({ type: 'hashed', done: { ...done }, total: { ...total }, cached: { ...cached } });
  }

  /** Records a hashed file. Progress counts the size at which the file was found, so that it ends exactly at the total. */
  function record(found: FoundFile, hashed: HashedFile): void {
    if (hashed.privateKey) privateKeys.push({ path: found.path, reason: 'private' });
    else {
      files.push(hashed);
      if (isSettled(hashed.stats, startedMs)) cache.add(hashed.name, fileStateOf(hashed.stats), hashed.sha256);
    }
    addFile(done, found);
    emitProgress();
  }

  function endQueues(): void {
    waiting.small.end();
    waiting.large.end();
  }

  signal.addEventListener('abort', endQueues, { once: true });
  return {
    files,
    privateKeys,
    add(found) {
      addFile(total, found);
      const sha256 = cache.find(found.name, fileStateOf(found.stats));
      if (sha256 === null) return void waiting[isLarge(found) ? 'large' : 'small'].push(found);
      files.push({ ...found, sha256, privateKey: false });
      addFile(cached, found);
      addFile(done, found);
    },
    end(skipped) {
      ended = true;
      emit({ type: 'walked', total: { ...total }, skipped });
      if (done.files === total.files) emitProgress();
      endQueues();
    },
    async hashSmallFiles() {
      const slices = createTimeSlices(signal);
      for await (const found of waiting.small) {
        if (slices.isOver()) await slices.next();
        record(found, hashSmallFile(root, found) ?? (await hashChangedFile(root, found, signal)));
      }
    },
    async hashLargeFiles() {
      for await (const found of waiting.large)
        record(found, (await hashLargeFile(root, found, signal)) ?? (await hashChangedFile(root, found, signal)));
    },
  };
}

function addFile(amount: { files: number; bytes: number }, { stats }: FoundFile): void {
  amount.files += 1;
  amount.bytes += Number(stats.size);
}
