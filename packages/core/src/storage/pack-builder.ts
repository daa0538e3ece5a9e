import { createHash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
import { alignedBlocks } from './aligned-blocks.ts';
import { closeGaps, closeGapsInMemory } from './gaps.ts';
import type { Hasher, Hashes } from './hasher.ts';
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

/**
 * Collects contents into one pack. Another thread hashes the bytes; they go to disk one batch at a time.
 *
 * Memory is bounded by the batches, whatever the upload size. The file is opened when the first batch is full, so a small
 * upload that is rejected never touches the disk.
 */
export interface PackBuilder {
  /**
   * Starts a content.
   *
   * @param onDigest Receives the digest some time between `end` and the end of {@link finish}.
   * @param keep If `false`, the bytes are hashed but not stored.
   */
  begin(onDigest: (digest: ContentDigest) => void, options?: { keep?: boolean }): ContentSink;
  /** Resolves when every digest was delivered. Do not begin another content after it. @throws if a batch could not be hashed or written. */
  finish(): Promise<void>;
  /** Every distinct content in pack order. Complete once {@link finish} has resolved. */
  contents(): readonly IndexEntry[];
  /** Drops contents that `wanted` rejects, and duplicates, and closes the gaps. Call after {@link finish}. */
  retain(wanted: (sha256: string) => boolean): Promise<void>;
  /** Writes the remaining bytes and the index and makes the pack durable. Runs only once. @throws if that fails; the pack is then lost. */
  seal(): Promise<{ sizeBytes: number }>;
  /** Discards the pack. Safe at any time, also after a failure. */
  abandon(): Promise<void>;
}

const MiB = 1024 * 1024;
/** Batches are small at first, so that the last batch of a typical upload is hashed soon, then larger, since each one is a round trip to the thread. */
const BATCH_BYTES = MiB;
const LARGE_BATCH_BYTES = 2 * MiB;
const LARGE_FROM_BYTES = 64 * MiB;
const BATCHES_IN_FLIGHT = 4;

/** A content that has ended but is not hashed yet. */
interface Ended {
  offset: number;
  length: number;
  onDigest: (digest: ContentDigest) => void;
}

/** @param openFile Opens the file to write to; called at most once. */
export function createPackBuilder(openFile: () => Promise<PackFile>, hasher: Hasher): PackBuilder {
  const hashing = hasher.stream();
  const aligned = alignedBlocks(BATCHES_IN_FLIGHT + 2, LARGE_BATCH_BYTES);
  const entries = new Map<string, IndexEntry>();
  const spare: Buffer[] = [];
  let batch: Buffer | null = null;
  let used = 0;
  /** Position in the pack of the first byte of the batch. */
  let flushed = 0;
  /** Contents that ended in the current batch. */
  let ended: Ended[] = [];
  let file: Promise<PackFile> | null = null;
  let writes: Promise<void> = Promise.resolve();
  /** Writes that have not finished, oldest first. */
  const inFlight: Promise<void>[] = [];
  let failure: { error: unknown } | null = null;
  let finishing: Promise<void> | null = null;
  let sealing: Promise<{ sizeBytes: number }> | null = null;

  const openOnce = () => (file ??= openFile());
  const newBatch = () => {
    const large = flushed >= LARGE_FROM_BYTES;
    const size = large ? LARGE_BATCH_BYTES : BATCH_BYTES;
    const again = spare.pop();
    if (again?.length === size) return again;
    return (large ? aligned() : null) ?? Buffer.from(new ArrayBuffer(size));
  };
  const fail = (error: unknown) => void (failure ??= { error });

  /** Hashes the contents that ended in the batch and reports their digests. @returns The batch, back from the thread. */
  async function hashBatch(full: Buffer): Promise<Buffer> {
    const contents = ended;
    ended = [];
    const ends = contents.map(({ offset, length }) => offset + length - flushed);
    const { block, hashes } = await hashing.hash(full, used, ends);
    for (const [i, content] of contents.entries()) report(content, hashes[i]!);
    return Buffer.from(block.buffer, block.byteOffset, block.length);
  }

  function report({ offset, length, onDigest }: Ended, { md5, sha256 }: Hashes): void {
    if (!entries.has(sha256)) entries.set(sha256, { sha256, offset, length });
    onDigest({ sha256, md5, size: length });
  }

  /** Queues the batch for writing once `ready` returns it. */
  function flush(ready: Promise<Buffer>): void {
    const [length, position] = [used, flushed];
    batch = null;
    used = 0;
    flushed += length;
    ready.catch(() => {}); // `settle` reports the failure.
    const write = async () => {
      const full = await ready;
      if (!failure) await (await openOnce()).write(full.subarray(0, length), position);
      spare.push(full);
    };
    writes = writes
      .then(write)
      .catch(fail)
      .then(() => void inFlight.shift());
    inFlight.push(writes);
  }

  /** Waits for all writes so far. @throws the first failure. */
  async function settle(): Promise<void> {
    await writes;
    if (failure) throw failure.error;
  }

  async function finish(): Promise<void> {
    const last = batch && ended.length > 0 ? hashBatch(batch) : null;
    last?.catch(fail);
    await settle();
    if (last) batch = await last;
  }

  async function seal(): Promise<{ sizeBytes: number }> {
    const contentBytes = flushed + used;
    const index = encodePackIndex([...entries.values()]);
    if (batch && used > 0) flush(Promise.resolve(batch));
    await settle();
    const target = await openOnce();
    await target.write(index, contentBytes);
    failpoint('pack.written');
    const sizeBytes = contentBytes + index.length;
    await target.seal(sizeBytes);
    failpoint('pack.sealed');
    return { sizeBytes };
  }

  return {
    begin(onDigest, { keep = true } = {}) {
      if (!keep) return hashOnly(onDigest);
      const offset = flushed + used;
      let length = 0;
      return {
        write(chunk) {
          length += chunk.length;
          for (let at = 0; at < chunk.length;) {
            batch ??= newBatch();
            const fits = Math.min(chunk.length - at, batch.length - used);
            batch.set(fits === chunk.length ? chunk : chunk.subarray(at, at + fits), used);
            used += fits;
            at += fits;
            if (used === batch.length) flush(hashBatch(batch));
          }
          if (failure) throw failure.error;
          return inFlight.length > BATCHES_IN_FLIGHT ? inFlight[0] : undefined;
        },
        end() {
          // An empty content is reported with the batch that follows its position.
          batch ??= newBatch();
          ended.push({ offset, length, onDigest });
        },
      };
    },

    finish: () => (finishing ??= finish()),

    contents: () => [...entries.values()],

    async retain(wanted) {
      const kept = [...entries.values()].filter(({ sha256 }) => wanted(sha256));
      if (kept.reduce((sum, { length }) => sum + length, 0) === flushed + used && kept.length === entries.size) return;
      entries.clear();
      if (kept.length > 0 && flushed > 0) {
        if (batch && used > 0) flush(Promise.resolve(batch));
        await settle();
        flushed = await closeGaps(await openOnce(), kept);
      } else {
        used = batch ? closeGapsInMemory(batch, kept) : 0;
        flushed = 0;
      }
      for (const entry of kept) entries.set(entry.sha256, entry);
    },

    seal: () => (sealing ??= seal()),

    async abandon() {
      fail(new Error('The pack was abandoned'));
      hashing.close();
      await finishing?.catch(() => {});
      await writes;
      await sealing?.catch(() => {});
      const opened = await file?.catch(() => null);
      await opened?.abandon();
    },
  };
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
