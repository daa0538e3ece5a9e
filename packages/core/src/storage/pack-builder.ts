import { createHash, type Hash, hash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
import { BATCH_BYTES, giveBatch, takeBatch } from './batch-pool.ts';
import { closeGaps, closeGapsInMemory } from './gaps.ts';
import { md5Lane, type Piece } from './md5-lane.ts';
import { encodePackIndex, type IndexEntry } from './pack-index.ts';
import type { PackFile } from './packs.ts';

/** What a content turned out to be. `sha256` in lowercase hex, `size` in bytes. */
export interface Digest {
  sha256: string;
  size: number;
}

/** Takes the bytes of one content. One is open at a time; `end` is called exactly once. */
export interface ContentSink {
  /** Appends bytes, which may be reused at once. Returns a promise when the writer should pause until it resolves. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Ends the content. Equal contents of one pack keep one place. With `discard` the bytes are hashed, but not kept. */
  end(options?: { discard?: boolean }): Digest;
}

/**
 * Gathers contents into one pack: bytes go to disk in batches while they are hashed.
 *
 * Contents that fit into the batch at hand are hashed in one shot, longer ones as they pass; MD5, which takes longest and
 * is needed last, is left to a thread of its own. Memory is bounded by the batches, whatever passes. The file is asked for
 * when the first batch is full, so that a small upload which is refused never touches a disk.
 */
export interface PackBuilder {
  begin(): ContentSink;
  /** Every distinct content gathered so far, in pack order. */
  contents(): readonly IndexEntry[];
  /** The MD5 of every content so far, in lowercase hex, in the order they began; equal and discarded ones included. */
  md5s(): Promise<readonly string[]>;
  /** Drops the contents that `wanted` does not name, closing the gaps. */
  retain(wanted: (sha256: string) => boolean): Promise<void>;
  /** Writes what is left and the index, and makes the pack durable, once. @throws when it cannot; the pack is then lost. */
  seal(): Promise<{ sizeBytes: number }>;
  /** Gives the pack up. Safe at any time, also after a failure. */
  abandon(): Promise<void>;
}

const BATCHES_IN_FLIGHT = 3;
const NOTHING = Buffer.from(new SharedArrayBuffer(0));

/** @param openFile Gives the file to write to; called at most once. */
export function createPackBuilder(openFile: () => Promise<PackFile>): PackBuilder {
  const entries = new Map<string, IndexEntry & { content: number }>();
  /** By the number of the content: its MD5, or the number of its twin, or nothing yet. */
  const md5s = new Map<number, string | { twin: number }>();
  /** What of the batch belongs to which content, and was not handed to the hashing thread yet. */
  let pieces: Piece[] = [];
  let batch: ReturnType<typeof takeBatch> | null = null;
  let used = 0;
  /** Position in the pack of the first byte of the batch. */
  let flushed = 0;
  let file: Promise<PackFile> | null = null;
  let writes: Promise<void> = Promise.resolve();
  let hashes: Promise<void> = Promise.resolve();
  /** The batches that are not written and hashed yet, oldest first. */
  const inFlight: Promise<void>[] = [];
  let failure: { error: unknown } | null = null;
  let sealing: Promise<{ sizeBytes: number }> | null = null;
  /** The content that has begun and not ended. */
  let current: number | null = null;

  const openOnce = () => (file ??= openFile());
  const fail = (error: unknown) => void (failure ??= { error });

  /** Leaves pieces of some bytes, which must not change until they are hashed, to the hashing thread. */
  function handOver(bytes: Buffer<SharedArrayBuffer>, some: readonly Piece[]): void {
    const asked = md5Lane.hash(bytes.buffer, some).then((digests) => {
      for (const [content, md5] of digests) md5s.set(content, md5);
    }, fail);
    hashes = Promise.all([hashes, asked]).then(() => {});
  }

  function flush(): void {
    if (!batch || used === 0) return;
    const full = batch;
    const bytes = full.subarray(0, used);
    const position = flushed;
    if (pieces.length > 0) handOver(full, pieces);
    pieces = [];
    batch = null;
    used = 0;
    flushed += bytes.length;
    writes = writes.then(async () => {
      if (!failure) await (await openOnce()).write(bytes, position);
    }).catch(fail);
    const done = Promise.all([writes, hashes]).then(() => {
      giveBatch(full);
      inFlight.shift();
    });
    inFlight.push(done);
  }

  /** Waits until every batch so far is written and hashed. @throws the first failure. */
  async function settle(): Promise<void> {
    await Promise.all([writes, hashes]);
    if (failure) throw failure.error;
  }

  /** Makes sure that every MD5 is known, or soon will be, before the bytes of the batch change. */
  async function finishMd5s(): Promise<void> {
    const bytes = batch ?? NOTHING;
    if (flushed === 0) for (const { content, from, to } of pieces) md5s.set(content, hash('md5', bytes.subarray(from, to)));
    else if (pieces.length > 0) handOver(bytes, pieces);
    pieces = [];
    await settle();
  }

  async function seal(): Promise<{ sizeBytes: number }> {
    const contentBytes = flushed + used;
    const index = encodePackIndex([...entries.values()]);
    flush();
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
    begin() {
      const content = md5Lane.nextContent();
      const start = flushed + used;
      let size = 0;
      /** Runs once the content has filled a batch. */
      let sha256: Hash | null = null;
      const from = () => Math.max(0, start - flushed);
      const here = () => (batch ?? NOTHING).subarray(from(), used);
      md5s.set(content, '');
      current = content;
      return {
        write(chunk) {
          size += chunk.length;
          for (let at = 0; at < chunk.length; ) {
            batch ??= takeBatch();
            const length = Math.min(chunk.length - at, BATCH_BYTES - used);
            batch.set(length === chunk.length ? chunk : chunk.subarray(at, at + length), used);
            used += length;
            at += length;
            if (used === BATCH_BYTES) {
              (sha256 ??= createHash('sha256')).update(here());
              pieces.push({ content, from: from(), to: used, last: false });
              flush();
            }
          }
          if (failure) throw failure.error;
          return inFlight.length > BATCHES_IN_FLIGHT ? inFlight[0] : undefined;
        },
        end({ discard = false } = {}) {
          current = null;
          const digest = sha256 ? sha256.update(here()).digest('hex') : hash('sha256', here());
          const twin = entries.get(digest);
          if (!discard && !twin) {
            pieces.push({ content, from: from(), to: used, last: true });
            entries.set(digest, { sha256: digest, offset: start, length: size, content });
            return { sha256: digest, size };
          }
          if (twin) {
            md5s.set(content, { twin: twin.content });
            if (sha256) md5Lane.forget([content]);
          } else if (sha256) {
            const rest = Buffer.from(new SharedArrayBuffer(used - from()));
            rest.set(here());
            handOver(rest, [{ content, from: 0, to: rest.length, last: true }]);
          } else md5s.set(content, hash('md5', here()));
          // Later bytes take the place of these; writes are in order, so the later ones win.
          used = from();
          flushed = Math.min(flushed, start);
          return { sha256: digest, size };
        },
      };
    },

    contents: () => Array.from(entries.values(), ({ sha256, offset, length }) => ({ sha256, offset, length })),

    async md5s() {
      await finishMd5s();
      return Array.from(md5s.values(), (md5) => (typeof md5 === 'string' ? md5 : (md5s.get(md5.twin) as string)));
    },

    async retain(wanted) {
      const kept = [...entries.values()].filter(({ sha256 }) => wanted(sha256));
      if (kept.length === entries.size) return;
      await finishMd5s();
      entries.clear();
      if (kept.length > 0 && flushed > 0) {
        flush();
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
      fail(new Error('The pack was given up'));
      if (current !== null) md5Lane.forget([current]);
      await Promise.all([writes, hashes]);
      await sealing?.catch(() => {});
      if (batch) giveBatch(batch);
      batch = null;
      const opened = await file?.catch(() => null);
      await opened?.abandon();
    },
  };
}
