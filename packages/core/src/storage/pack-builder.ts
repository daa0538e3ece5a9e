import { createHash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
import { packBytes, packsSealed } from '../metrics.ts';
import { BATCH_BYTES, BATCHES_IN_FLIGHT, type BatchPool, uploadBatches } from './batch-pool.ts';
import { copyBytes } from './copy-bytes.ts';
import type { Hasher, HashStream } from './hasher.ts';
import { encodePackIndex, type IndexEntry } from './pack-index.ts';
import type { PackFile } from './packs.ts';

/** The hashes of a content in lowercase hex, and its size in bytes. */
export interface ContentDigest {
  sha256: string;
  md5: string;
  size: number;
}

/** Receives the bytes of one content. Only one sink can be open at a time. The writer must call `end` once. */
export interface ContentSink {
  /** Appends a copy of the bytes. If the result is a promise, the writer should pause until the promise resolves. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  end(): void;
}

/** The size of the first batch until it is full. Most uploads are small, and many can arrive at once. */
const FIRST_BATCH_BYTES = 64 * 1024;
/** The maximum number of contents in a batch, so that many tiny contents take little memory until they are hashed. */
const MAX_BATCH_CONTENTS = 4_096;
/** The number of batches in flight above which each pack may have only one, so that many uploads take little memory. */
const MAX_BATCHES_IN_FLIGHT = 16;
let batchesInFlight = 0;

interface EndedContent {
  offset: number;
  length: number;
  onDigest: (digest: ContentDigest) => void;
}

/**
 * Collects contents into one pack. Another thread hashes the bytes, which are written one batch at a time.
 *
 * The memory is bounded for every upload size. The file is opened when the first batch is full, so that a small rejected
 * upload never touches the disk.
 */
export class PackBuilder {
  readonly #openFile: () => Promise<PackFile>;
  readonly #hashing: HashStream;
  readonly #pool: BatchPool;
  readonly #entries = new Map<string, IndexEntry>();
  /** The writes that have not finished, oldest first. */
  readonly #inFlight: Promise<void>[] = [];
  #batch: Buffer | null = null;
  #used = 0;
  /** The position of the first byte of the batch in the pack. */
  #flushed = 0;
  /** The content that has begun last. */
  #begun: EndedContent | null = null;
  #ended: EndedContent[] = [];
  #file: Promise<PackFile> | null = null;
  #writes: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #finishing: Promise<void> | null = null;
  #sealing: Promise<{ sizeBytes: number }> | null = null;
  #retaining: Promise<void> | null = null;
  #index: Buffer | null = null;

  /**
   * @param openFile Opens the file of the pack. Called at most once.
   * @param pool The batches that are filled. Default: those of all uploads of this process.
   */
  constructor(openFile: () => Promise<PackFile>, hasher: Hasher, pool: BatchPool = uploadBatches) {
    this.#openFile = openFile;
    this.#hashing = hasher.stream();
    this.#pool = pool;
  }

  /**
   * Starts a content.
   *
   * @param onDigest Receives the digest after `end`, and before {@link finish} resolves.
   * @param keep Whether to store the bytes. Default: true.
   */
  begin(onDigest: (digest: ContentDigest) => void, { keep = true }: { keep?: boolean } = {}): ContentSink {
    if (!keep) return hashOnly(onDigest);
    this.#begun = { offset: this.#flushed + this.#used, length: 0, onDigest };
    return this.#sink;
  }

  /** All contents share one sink, because only one can be open. */
  readonly #sink: ContentSink = {
    write: (chunk) => {
      this.#begun!.length += chunk.length;
      return this.#append(chunk, this.#hashBatch);
    },
    end: () => {
      // An empty content is reported with the batch that follows its position.
      this.#batch ??= this.#batchWithRoom();
      this.#ended.push(this.#begun!);
      this.#begun = null;
      if (this.#ended.length === MAX_BATCH_CONTENTS) this.#flush(this.#hashBatch(this.#batch));
    },
  };

  /** Resolves after every digest was reported. No content can begin after this call. @throws if hashing or writing failed. */
  finish(): Promise<void> {
    return (this.#finishing ??= this.#finishOnce());
  }

  /** Returns every distinct content in pack order. The list is complete after {@link finish} has resolved. */
  contents(): readonly IndexEntry[] {
    return [...this.#entries.values()];
  }

  /** Returns the encoded index of {@link contents}. Call it after {@link retain}. */
  index(): Buffer {
    return (this.#index ??= encodePackIndex(this.contents()));
  }

  /** Drops duplicates and the contents that `wanted` rejects, and closes the gaps. Call it after {@link finish}. */
  retain(wanted: (sha256: string) => boolean): Promise<void> {
    return (this.#retaining = this.#retainOnly(wanted));
  }

  async #retainOnly(wanted: (sha256: string) => boolean): Promise<void> {
    const wantedContents = this.contents().filter(({ sha256 }) => wanted(sha256));
    const keptBytes = wantedContents.reduce((sum, { length }) => sum + length, 0);
    if (keptBytes === this.#flushed + this.#used && wantedContents.length === this.#entries.size) return;
    this.#entries.clear();
    this.#index = null;
    if (wantedContents.length > 0 && this.#flushed > 0) {
      if (this.#batch && this.#used > 0) this.#flush(Promise.resolve(this.#batch));
      await this.#settle();
      this.#flushed = await closeGaps(await this.#openOnce(), wantedContents);
    } else {
      this.#used = this.#batch ? closeGapsInMemory(this.#batch, wantedContents) : 0;
      this.#flushed = 0;
    }
    for (const entry of wantedContents) this.#entries.set(entry.sha256, entry);
  }

  /** Writes the remaining bytes and the index, and makes the pack durable. @throws if a step fails. The pack is then lost. */
  seal(): Promise<{ sizeBytes: number }> {
    return (this.#sealing ??= this.#sealOnce());
  }

  /** Discards the pack. Safe at any time, even after a failure. */
  async abandon(): Promise<void> {
    this.#fail(new Error('The pack was abandoned'));
    this.#hashing.close();
    await this.#finishing?.catch(() => {});
    await this.#retaining?.catch(() => {});
    await this.#writes;
    await this.#sealing?.catch(() => {});
    const openedFile = await this.#file?.catch(() => null);
    await openedFile?.abandon();
    this.#giveBatchBack();
  }

  /** @param prepare Prepares a full batch for writing. */
  #append(chunk: Uint8Array, prepare: (batch: Buffer) => Promise<Buffer>): Promise<void> | undefined {
    if (this.#failure) throw this.#failure.error;
    for (let copiedBytes = 0; copiedBytes < chunk.length;) {
      const batch = (this.#batch = this.#batchWithRoom());
      const fittingBytes = Math.min(chunk.length - copiedBytes, batch.length - this.#used);
      copyBytes(
        fittingBytes === chunk.length ? chunk : chunk.subarray(copiedBytes, copiedBytes + fittingBytes),
        batch,
        this.#used,
      );
      this.#used += fittingBytes;
      copiedBytes += fittingBytes;
      if (this.#used === BATCH_BYTES) this.#flush(prepare(batch));
    }
    const allowed = batchesInFlight > MAX_BATCHES_IN_FLIGHT ? 0 : BATCHES_IN_FLIGHT;
    return this.#inFlight.length > allowed ? this.#inFlight[0] : undefined;
  }

  #batchWithRoom(): Buffer {
    if (this.#batch && this.#used < this.#batch.length) return this.#batch;
    if (!this.#batch && this.#flushed === 0) return Buffer.from(new ArrayBuffer(FIRST_BATCH_BYTES));
    const batch = this.#pool.take();
    if (this.#batch) copyBytes(this.#batch, batch, 0);
    return batch;
  }

  /** Hashes the contents that ended in the batch and reports their digests. @returns The batch, which the thread has returned. */
  readonly #hashBatch = async (full: Buffer): Promise<Buffer> => {
    const contents = this.#ended;
    this.#ended = [];
    const contentEnds = contents.map(({ offset, length }) => offset + length - this.#flushed);
    const { block, md5s, sha256s } = await this.#hashing.hash(full, this.#used, contentEnds);
    for (let i = 0; i < contents.length; i += 1) {
      const { offset, length, onDigest } = contents[i]!;
      const sha256 = sha256s[i]!;
      const earlier = this.#entries.get(sha256);
      if (!earlier) this.#entries.set(sha256, { sha256, offset, length });
      // Repeated contents share one string.
      onDigest({ sha256: earlier?.sha256 ?? sha256, md5: md5s[i]!, size: length });
    }
    return Buffer.from(block.buffer, block.byteOffset, block.length);
  };

  /** Queues the batch for writing once `ready` returns it. */
  #flush(ready: Promise<Buffer>): void {
    const [length, position] = [this.#used, this.#flushed];
    this.#batch = null;
    this.#used = 0;
    this.#flushed += length;
    ready.catch(() => {}); // The write below handles the failure.
    const writeBatch = async () => {
      const fullBatch = await ready;
      try {
        if (!this.#failure) await (await this.#openOnce()).write(fullBatch.subarray(0, length), position);
      } finally {
        this.#pool.giveBack(fullBatch);
      }
    };
    this.#writes = this.#writes
      .then(writeBatch)
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        batchesInFlight -= 1;
        void this.#inFlight.shift();
      });
    batchesInFlight += 1;
    this.#inFlight.push(this.#writes);
  }

  /** Waits for all writes that have begun. @throws the first failure. */
  async #settle(): Promise<void> {
    await this.#writes;
    if (this.#failure) throw this.#failure.error;
  }

  async #finishOnce(): Promise<void> {
    if (this.#batch && this.#ended.length > 0) {
      const hashed = this.#hashBatch(this.#batch);
      // The threads have the batch until they return it.
      this.#batch = null;
      this.#batch = await hashed.catch((error: unknown) => {
        this.#fail(error);
        return null;
      });
    }
    await this.#settle();
    // A content that was broken off leaves its hash so far in the threads.
    this.#hashing.close();
  }

  async #sealOnce(): Promise<{ sizeBytes: number }> {
    void this.#append(this.index(), (batch) => Promise.resolve(batch));
    await this.#settle();
    const target = await this.#openOnce();
    if (this.#batch) await target.write(this.#batch.subarray(0, this.#used), this.#flushed);
    failpoint('pack.written');
    const sizeBytes = this.#flushed + this.#used;
    await target.seal(sizeBytes);
    this.#giveBatchBack();
    packsSealed.value += 1;
    packBytes.value += sizeBytes;
    failpoint('pack.sealed');
    return { sizeBytes };
  }

  #giveBatchBack(): void {
    if (this.#batch) this.#pool.giveBack(this.#batch);
    this.#batch = null;
  }

  #openOnce(): Promise<PackFile> {
    return (this.#file ??= this.#openFile());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}

function hashOnly(onDigest: (digest: ContentDigest) => void): ContentSink {
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  let size = 0;
  return {
    write(chunk) {
      size += chunk.length;
      md5.update(chunk);
      sha256.update(chunk);
      return undefined;
    },
    end: () => onDigest({ md5: md5.digest('hex'), sha256: sha256.digest('hex'), size }),
  };
}

const COPY_BYTES = 1024 * 1024;

/** Moves contents, ordered by offset, to the front of a batch, and updates their offsets. @returns Their total length. */
function closeGapsInMemory(batch: Buffer, contents: readonly IndexEntry[]): number {
  let keptLength = 0;
  for (const content of contents) {
    // For shared memory, `copy` takes a hundredth of the time of `copyWithin`.
    batch.copy(batch, keptLength, content.offset, content.offset + content.length);
    content.offset = keptLength;
    keptLength += content.length;
  }
  return keptLength;
}

/** Closes the gaps in a pack that is being written. Bytes only move towards the front, so that no unread byte is overwritten. */
async function closeGaps(file: PackFile, contents: readonly IndexEntry[]): Promise<number> {
  let keptLength = 0;
  for (const content of contents) {
    for (let movedLength = 0; content.offset !== keptLength && movedLength < content.length;) {
      const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, content.length - movedLength));
      await file.read(bytes, content.offset + movedLength);
      await file.write(bytes, keptLength + movedLength);
      movedLength += bytes.length;
    }
    content.offset = keptLength;
    keptLength += content.length;
  }
  return keptLength;
}
