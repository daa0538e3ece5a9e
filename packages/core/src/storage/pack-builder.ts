import { createHash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
import { alignedBlocks } from './aligned-blocks.ts';
import type { Hasher, Hashes, HashStream } from './hasher.ts';
import { encodePackIndex, type IndexEntry } from './pack-index.ts';
import type { PackFile } from './packs.ts';

/** The hashes and size of a content. `sha256` and `md5` in lowercase hex, `size` in bytes. */
export interface ContentDigest {
  sha256: string;
  md5: string;
  size: number;
}

/** Takes the bytes of one content. Only one sink is open at a time. Call `end` exactly once. */
export interface ContentSink {
  /** Appends a copy of the bytes. Returns a promise when the writer should pause until it resolves. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  end(): void;
}

const MiB = 1024 * 1024;
/** The first batch until it is full: most uploads are small, and many can arrive at once. */
const FIRST_BATCH_BYTES = 64 * 1024;
/** Batches are small at first, so that the last batch of a typical upload is hashed soon, then larger, since each one is a round trip to the thread. */
const BATCH_BYTES = MiB;
const LARGE_BATCH_BYTES = 2 * MiB;
const LARGE_FROM_BYTES = 64 * MiB;
const BATCHES_IN_FLIGHT = 4;

/** Unused batches for the next packs. A new one for each pack would make memory grow between garbage collections. */
const unusedBatches: Buffer[] = [];
const MAX_UNUSED_BATCHES = 8;

/** A content that has ended but is not hashed yet. */
interface Ended {
  offset: number;
  length: number;
  onDigest: (digest: ContentDigest) => void;
}

/**
 * Collects contents into one pack. Another thread hashes the bytes; they go to disk one batch at a time.
 *
 * Memory is bounded by the batches, whatever the upload size. The file is opened when the first batch is full, so a small
 * upload that is rejected never touches the disk.
 */
export class PackBuilder {
  readonly #openFile: () => Promise<PackFile>;
  readonly #hashing: HashStream;
  readonly #allocateAligned = alignedBlocks(BATCHES_IN_FLIGHT + 2, LARGE_BATCH_BYTES);
  readonly #entries = new Map<string, IndexEntry>();
  readonly #spareBatches: Buffer[] = [];
  /** Writes that have not finished, oldest first. */
  readonly #inFlight: Promise<void>[] = [];
  #batch: Buffer | null = null;
  /** The number of bytes in the batch. */
  #used = 0;
  /** Position in the pack of the first byte of the batch. */
  #flushed = 0;
  /** Contents that ended in the current batch. */
  #ended: Ended[] = [];
  #file: Promise<PackFile> | null = null;
  #writes: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | null = null;
  #finishing: Promise<void> | null = null;
  #sealing: Promise<{ sizeBytes: number }> | null = null;

  /** @param openFile Opens the file to write to; called at most once. */
  constructor(openFile: () => Promise<PackFile>, hasher: Hasher) {
    this.#openFile = openFile;
    this.#hashing = hasher.stream();
  }

  /**
   * Starts a content.
   *
   * @param onDigest Receives the digest some time between `end` and the end of {@link finish}.
   * @param keep If `false`, the bytes are hashed but not stored.
   */
  begin(onDigest: (digest: ContentDigest) => void, { keep = true }: { keep?: boolean } = {}): ContentSink {
    if (!keep) return hashOnly(onDigest);
    const offset = this.#flushed + this.#used;
    let length = 0;
    return {
      write: (chunk) => {
        length += chunk.length;
        return this.#append(chunk);
      },
      end: () => {
        // An empty content is reported with the batch that follows its position.
        this.#batch ??= this.#batchWithRoom();
        this.#ended.push({ offset, length, onDigest });
      },
    };
  }

  /** Resolves when every digest was delivered. Do not begin another content after it. @throws if a batch could not be hashed or written. */
  finish(): Promise<void> {
    return (this.#finishing ??= this.#finishOnce());
  }

  /** Every distinct content in pack order. Complete once {@link finish} has resolved. */
  contents(): readonly IndexEntry[] {
    return [...this.#entries.values()];
  }

  /** Drops contents that `wanted` rejects, and duplicates, and closes the gaps. Call after {@link finish}. */
  async retain(wanted: (sha256: string) => boolean): Promise<void> {
    const remaining = this.contents().filter(({ sha256 }) => wanted(sha256));
    const keptBytes = remaining.reduce((sum, { length }) => sum + length, 0);
    if (keptBytes === this.#flushed + this.#used && remaining.length === this.#entries.size) return;
    this.#entries.clear();
    if (remaining.length > 0 && this.#flushed > 0) {
      if (this.#batch && this.#used > 0) this.#flush(Promise.resolve(this.#batch));
      await this.#settle();
      this.#flushed = await closeGaps(await this.#openOnce(), remaining);
    } else {
      this.#used = this.#batch ? closeGapsInMemory(this.#batch, remaining) : 0;
      this.#flushed = 0;
    }
    for (const entry of remaining) this.#entries.set(entry.sha256, entry);
  }

  /** Writes the remaining bytes and the index and makes the pack durable. Runs only once. @throws if that fails; the pack is then lost. */
  seal(): Promise<{ sizeBytes: number }> {
    return (this.#sealing ??= this.#sealOnce());
  }

  /** Discards the pack. Safe at any time, also after a failure. */
  async abandon(): Promise<void> {
    this.#fail(new Error('The pack was abandoned'));
    this.#hashing.close();
    await this.#finishing?.catch(() => {});
    await this.#writes;
    await this.#sealing?.catch(() => {});
    const opened = await this.#file?.catch(() => null);
    await opened?.abandon();
    this.#returnBatches();
  }

  #append(chunk: Uint8Array): Promise<void> | undefined {
    for (let at = 0; at < chunk.length;) {
      const batch = (this.#batch = this.#batchWithRoom());
      const fits = Math.min(chunk.length - at, batch.length - this.#used);
      batch.set(fits === chunk.length ? chunk : chunk.subarray(at, at + fits), this.#used);
      this.#used += fits;
      at += fits;
      if (this.#used >= BATCH_BYTES && this.#used === batch.length) this.#flush(this.#hashBatch(batch));
    }
    if (this.#failure) throw this.#failure.error;
    return this.#inFlight.length > BATCHES_IN_FLIGHT ? this.#inFlight[0] : undefined;
  }

  #batchWithRoom(): Buffer {
    if (this.#batch && this.#used < this.#batch.length) return this.#batch;
    if (!this.#batch && this.#flushed === 0) return Buffer.from(new ArrayBuffer(FIRST_BATCH_BYTES));
    const batch = this.#newBatch();
    if (this.#batch) batch.set(this.#batch);
    return batch;
  }

  #newBatch(): Buffer {
    const isLarge = this.#flushed >= LARGE_FROM_BYTES;
    const size = isLarge ? LARGE_BATCH_BYTES : BATCH_BYTES;
    const spare = this.#spareBatches.pop() ?? (isLarge ? undefined : unusedBatches.pop());
    if (spare?.length === size) return spare;
    return (isLarge ? this.#allocateAligned() : null) ?? Buffer.from(new ArrayBuffer(size));
  }

  /** Hashes the contents that ended in the batch and reports their digests. @returns The batch, back from the thread. */
  async #hashBatch(full: Buffer): Promise<Buffer> {
    const contents = this.#ended;
    this.#ended = [];
    const ends = contents.map(({ offset, length }) => offset + length - this.#flushed);
    const { block, hashes } = await this.#hashing.hash(full, this.#used, ends);
    for (const [i, content] of contents.entries()) this.#report(content, hashes[i]!);
    return Buffer.from(block.buffer, block.byteOffset, block.length);
  }

  #report({ offset, length, onDigest }: Ended, { md5, sha256 }: Hashes): void {
    if (!this.#entries.has(sha256)) this.#entries.set(sha256, { sha256, offset, length });
    onDigest({ sha256, md5, size: length });
  }

  /** Queues the batch for writing once `ready` returns it. */
  #flush(ready: Promise<Buffer>): void {
    const [length, position] = [this.#used, this.#flushed];
    this.#batch = null;
    this.#used = 0;
    this.#flushed += length;
    ready.catch(() => {}); // `#settle` reports the failure.
    const write = async () => {
      const full = await ready;
      if (!this.#failure) await (await this.#openOnce()).write(full.subarray(0, length), position);
      this.#spareBatches.push(full);
    };
    this.#writes = this.#writes
      .then(write)
      .catch((error: unknown) => this.#fail(error))
      .then(() => void this.#inFlight.shift());
    this.#inFlight.push(this.#writes);
  }

  /** Waits for all writes so far. @throws the first failure. */
  async #settle(): Promise<void> {
    await this.#writes;
    if (this.#failure) throw this.#failure.error;
  }

  async #finishOnce(): Promise<void> {
    const last = this.#batch && this.#ended.length > 0 ? this.#hashBatch(this.#batch) : null;
    last?.catch((error: unknown) => this.#fail(error));
    await this.#settle();
    if (last) this.#batch = await last;
  }

  async #sealOnce(): Promise<{ sizeBytes: number }> {
    const contentBytes = this.#flushed + this.#used;
    const index = encodePackIndex(this.contents());
    if (this.#batch && this.#used > 0) this.#flush(Promise.resolve(this.#batch));
    await this.#settle();
    const target = await this.#openOnce();
    await target.write(index, contentBytes);
    failpoint('pack.written');
    const sizeBytes = contentBytes + index.length;
    await target.seal(sizeBytes);
    this.#returnBatches();
    failpoint('pack.sealed');
    return { sizeBytes };
  }

  #returnBatches(): void {
    for (const batch of [...this.#spareBatches.splice(0), this.#batch])
      if (batch?.length === BATCH_BYTES && unusedBatches.length < MAX_UNUSED_BATCHES) unusedBatches.push(batch);
    this.#batch = null;
  }

  #openOnce(): Promise<PackFile> {
    return (this.#file ??= this.#openFile());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}

/** Hashes a content without storing it. */
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

/**
 * Moves contents to the front of a batch, without gaps, and updates their offsets.
 *
 * @param contents Ordered by offset.
 * @returns The offset at which the last one ends.
 */
function closeGapsInMemory(batch: Buffer, contents: readonly IndexEntry[]): number {
  let end = 0;
  for (const content of contents) {
    batch.copyWithin(end, content.offset, content.offset + content.length);
    content.offset = end;
    end += content.length;
  }
  return end;
}

/** Does the same in a pack that is being written. Bytes only move towards the front, so nothing is overwritten before it is read. */
async function closeGaps(file: PackFile, contents: readonly IndexEntry[]): Promise<number> {
  let end = 0;
  for (const content of contents) {
    for (let done = 0; content.offset !== end && done < content.length;) {
      const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, content.length - done));
      await file.read(bytes, content.offset + done);
      await file.write(bytes, end + done);
      done += bytes.length;
    }
    content.offset = end;
    end += content.length;
  }
  return end;
}
