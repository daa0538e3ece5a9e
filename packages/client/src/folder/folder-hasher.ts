import { createTimeSlices, createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import type { FolderEvent } from './events.ts';
import { isSettled, fileStateOf } from './file-state.ts';
import type { HashCache } from './hash-cache.ts';
import { hashChangedFile, type HashedFile, hashLargeFile, hashSmallFile, isLarge } from './hash-file.ts';
import { createQueue } from './queue.ts';
import type { SkippedFile } from './snapshot.ts';
import type { FoundFile } from './list-files.ts';

/** Hashes the files of a folder while it is scanned. */
export class FolderHasher {
  readonly #root: string;
  readonly #cache: HashCache;
  readonly #emit: (event: FolderEvent) => void;
  readonly #signal: AbortSignal;
  readonly #startedMs = Date.now();
  readonly #files: HashedFile[] = [];
  readonly #privateKeys: SkippedFile[] = [];
  readonly #smallFiles = createQueue<FoundFile>();
  readonly #largeFiles = createQueue<FoundFile>();
  readonly #total = { files: 0, bytes: 0 };
  readonly #done = { files: 0, bytes: 0 };
  readonly #cached = { files: 0, bytes: 0 };
  readonly #isProgressDue = createThrottle(PROGRESS_INTERVAL_MS);
  #hasEnded = false;

  /** @param cache Provides known hashes, and receives the hash of every settled file. */
  constructor(root: string, cache: HashCache, emit: (event: FolderEvent) => void, signal: AbortSignal) {
    this.#root = root;
    this.#cache = cache;
    this.#emit = emit;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#endQueues(), { once: true });
  }

  /** The files with their hashes, new or cached. */
  get files(): readonly HashedFile[] {
    return this.#files;
  }

  /** The files that contain a private key. */
  get privateKeys(): readonly SkippedFile[] {
    return this.#privateKeys;
  }

  /** Adds a file that was found. */
  add(found: FoundFile): void {
    addFile(this.#total, found);
    const sha256 = this.#cache.find(found.name, fileStateOf(found.stats));
    if (sha256 === null) return (isLarge(found) ? this.#largeFiles : this.#smallFiles).push(found);
    this.#files.push({ ...found, sha256, privateKey: false });
    addFile(this.#cached, found);
    addFile(this.#done, found);
  }

  /** Ends the list of files. @param skipped The files that the scan skipped. */
  end(skipped: readonly SkippedFile[]): void {
    this.#hasEnded = true;
    this.#emit({ type: 'walked', total: { ...this.#total }, skipped });
    if (this.#done.files === this.#total.files) this.#emitProgress();
    this.#endQueues();
  }

  /** Hashes the small files, alternating with the scan. Resolves after the last one. */
  async hashSmallFiles(): Promise<void> {
    const slices = createTimeSlices(this.#signal);
    for await (const found of this.#smallFiles) {
      if (slices.isOver()) await slices.next();
      this.#record(found, hashSmallFile(this.#root, found) ?? (await this.#hashAgain(found)));
    }
  }

  /** Hashes the large files, one at a time, while other threads read. Resolves after the last one. */
  async hashLargeFiles(): Promise<void> {
    for await (const found of this.#largeFiles)
      this.#record(found, (await hashLargeFile(this.#root, found, this.#signal)) ?? (await this.#hashAgain(found)));
  }

  #hashAgain(found: FoundFile): Promise<HashedFile> {
    return hashChangedFile(this.#root, found, this.#signal);
  }

  /** Records a hashed file. Progress counts the size at which the file was found, so that it ends exactly at the total. */
  #record(found: FoundFile, hashed: HashedFile): void {
    if (hashed.privateKey) this.#privateKeys.push({ path: found.path, reason: 'private' });
    else {
      this.#files.push(hashed);
      if (isSettled(hashed.stats, this.#startedMs))
        this.#cache.add(hashed.name, fileStateOf(hashed.stats), hashed.sha256);
    }
    addFile(this.#done, found);
    this.#emitProgress();
  }

  #emitProgress(): void {
    const isLast = this.#done.files === this.#total.files;
    if (this.#hasEnded && (this.#isProgressDue() || isLast))
      this.#emit({ type: 'hashed', done: { ...this.#done }, total: { ...this.#total }, cached: { ...this.#cached } });
  }

  #endQueues(): void {
    this.#smallFiles.end();
    this.#largeFiles.end();
  }
}

function addFile(amount: { files: number; bytes: number }, { stats }: FoundFile): void {
  amount.files += 1;
  amount.bytes += Number(stats.size);
}
