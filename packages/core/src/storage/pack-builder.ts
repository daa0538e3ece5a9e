import { createHash, type Hash, hash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
import { closeGaps, closeGapsInMemory } from './gaps.ts';
import { encodePackIndex, type IndexEntry } from './pack-index.ts';
import type { PackFile } from './packs.ts';

/** What a content turned out to be. `sha256` and `md5` in lowercase hex, `size` in bytes. */
export interface Digest {
  sha256: string;
  md5: string;
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
 * Contents that fit into the batch at hand are hashed in one shot; longer ones as they pass. Memory is bounded by the
 * batches, whatever passes. The file is asked for when the first batch is full, so that a small upload which is refused
 * never touches a disk.
 */
export interface PackBuilder {
  begin(): ContentSink;
  /** Every distinct content gathered so far, in pack order. */
  contents(): readonly IndexEntry[];
  /** Drops the contents that `wanted` does not name, closing the gaps. */
  retain(wanted: (sha256: string) => boolean): Promise<void>;
  /** Writes what is left and the index, and makes the pack durable, once. @throws when it cannot; the pack is then lost. */
  seal(): Promise<{ sizeBytes: number }>;
  /** Gives the pack up. Safe at any time, also after a failure. */
  abandon(): Promise<void>;
}

const BATCH_BYTES = 1024 * 1024;
const BATCHES_IN_FLIGHT = 4;
const NOTHING = Buffer.alloc(0);

/** @param openFile Gives the file to write to; called at most once. */
export function createPackBuilder(openFile: () => Promise<PackFile>): PackBuilder {
  const entries = new Map<string, IndexEntry>();
  const spare: Buffer[] = [];
  let batch: Buffer | null = null;
  let used = 0;
  /** Position in the pack of the first byte of the batch. */
  let flushed = 0;
  let file: Promise<PackFile> | null = null;
  let writes: Promise<void> = Promise.resolve();
  /** The writes that are not done yet, oldest first. */
  const inFlight: Promise<void>[] = [];
  let failure: { error: unknown } | null = null;
  let sealing: Promise<{ sizeBytes: number }> | null = null;

  const openOnce = () => (file ??= openFile());
  const fail = (error: unknown) => void (failure ??= { error });

  function flush(): void {
    if (!batch || used === 0) return;
    const full = batch;
    const bytes = full.subarray(0, used);
    const position = flushed;
    batch = null;
    used = 0;
    flushed += bytes.length;
    const write = async () => {
      if (!failure) await (await openOnce()).write(bytes, position);
    };
    writes = writes
      .then(write)
      .catch(fail)
      .then(() => {
        spare.push(full);
        inFlight.shift();
      });
    inFlight.push(writes);
  }

  /** Waits until every write so far is done. @throws the first failure. */
  async function settle(): Promise<void> {
    await writes;
    if (failure) throw failure.error;
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
      const start = flushed + used;
      let size = 0;
      /** Run once the content has filled a batch. */
      let running: { sha256: Hash; md5: Hash } | null = null;
      const from = () => Math.max(0, start - flushed);
      /** The bytes of this content that lie in the batch. */
      const here = () => (batch ?? NOTHING).subarray(from(), used);
      const absorb = () => {
        running ??= { sha256: createHash('sha256'), md5: createHash('md5') };
        running.sha256.update(here());
        running.md5.update(here());
        return running;
      };
      const digest = () => {
        if (!running) return { sha256: hash('sha256', here()), md5: hash('md5', here()) };
        const { sha256, md5 } = absorb();
        return { sha256: sha256.digest('hex'), md5: md5.digest('hex') };
      };
      return {
        write(chunk) {
          size += chunk.length;
          for (let at = 0; at < chunk.length;) {
            batch ??= spare.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES);
            const length = Math.min(chunk.length - at, BATCH_BYTES - used);
            batch.set(length === chunk.length ? chunk : chunk.subarray(at, at + length), used);
            used += length;
            at += length;
            if (used === BATCH_BYTES) {
              absorb();
              flush();
            }
          }
          if (failure) throw failure.error;
          return inFlight.length > BATCHES_IN_FLIGHT ? inFlight[0] : undefined;
        },
        end({ discard = false } = {}) {
          const { sha256, md5 } = digest();
          if (discard || entries.has(sha256)) {
            // Later bytes take the place of these; writes are in order, so the later ones win.
            used = from();
            flushed = Math.min(flushed, start);
          } else entries.set(sha256, { sha256, offset: start, length: size });
          return { sha256, md5, size };
        },
      };
    },

    contents: () => [...entries.values()],

    async retain(wanted) {
      const kept = [...entries.values()].filter(({ sha256 }) => wanted(sha256));
      if (kept.length === entries.size) return;
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
      await writes;
      await sealing?.catch(() => {});
      const opened = await file?.catch(() => null);
      await opened?.abandon();
    },
  };
}
