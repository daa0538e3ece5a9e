import { createHash, type Hash, hash } from 'node:crypto';
import { failpoint } from '../failpoints.ts';
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
const BATCHES_IN_FLIGHT = 3;
const COPY_BYTES = 1024 * 1024;

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

  const takeBatch = () => (batch ??= spare.pop() ?? Buffer.allocUnsafeSlow(BATCH_BYTES));
  const openOnce = () => (file ??= openFile());

  function flush(): void {
    if (!batch || used === 0) return;
    const full = batch;
    const length = used;
    const position = flushed;
    batch = null;
    used = 0;
    flushed += length;
    writes = writes
      .then(async () => {
        if (failure) return;
        const target = await openOnce();
        await target.write(full.subarray(0, length), position);
      })
      .catch((error: unknown) => {
        failure ??= { error };
      })
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
      let running: { md5: Hash; sha256: Hash } | null = null;
      /** Moves the bytes of this content that lie in the batch into the running hashes. */
      const absorb = () => {
        running ??= { md5: createHash('md5'), sha256: createHash('sha256') };
        const mine = batch!.subarray(Math.max(0, start - flushed), used);
        running.md5.update(mine);
        running.sha256.update(mine);
      };
      return {
        write(chunk) {
          size += chunk.length;
          for (let at = 0; at < chunk.length; ) {
            const target = takeBatch();
            const length = Math.min(chunk.length - at, BATCH_BYTES - used);
            target.set(length === chunk.length ? chunk : chunk.subarray(at, at + length), used);
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
          const digest = running ? finish(running, () => used > 0 && absorb()) : oneShot(batch, start - flushed, used);
          if (discard || entries.has(digest.sha256)) {
            // Later bytes take the place of these; writes are in order, so the later ones win.
            used = Math.max(0, start - flushed);
            flushed = Math.min(flushed, start);
          } else entries.set(digest.sha256, { sha256: digest.sha256, offset: start, length: size });
          return { ...digest, size };
        },
      };
    },

    contents: () => [...entries.values()],

    async retain(wanted) {
      const kept = [...entries.values()].filter(({ sha256 }) => wanted(sha256));
      if (kept.length === entries.size) return;
      const source = [...kept];
      entries.clear();
      if (kept.length > 0 && flushed > 0) {
        flush();
        await settle();
        flushed = await closeGaps(await openOnce(), source, entries);
      } else {
        used = closeGapsInMemory(batch, source, entries);
        flushed = 0;
      }
    },

    seal: () => (sealing ??= seal()),

    async abandon() {
      failure ??= { error: new Error('The pack was given up') };
      await writes;
      await sealing?.catch(() => {});
      const opened = await file?.catch(() => null);
      await opened?.abandon();
    },
  };
}

function oneShot(batch: Buffer | null, from: number, to: number): Omit<Digest, 'size'> {
  const bytes = batch ? batch.subarray(from, to) : Buffer.alloc(0);
  return { sha256: hash('sha256', bytes, 'hex'), md5: hash('md5', bytes, 'hex') };
}

function finish(running: { md5: Hash; sha256: Hash }, absorbRest: () => void): Omit<Digest, 'size'> {
  absorbRest();
  return { sha256: running.sha256.digest('hex'), md5: running.md5.digest('hex') };
}

function closeGapsInMemory(batch: Buffer | null, source: IndexEntry[], entries: Map<string, IndexEntry>): number {
  let end = 0;
  for (const { sha256, offset, length } of source) {
    batch?.copyWithin(end, offset, offset + length);
    entries.set(sha256, { sha256, offset: end, length });
    end += length;
  }
  return end;
}

/** Moves contents towards the front of the pack, in order, so that nothing is overwritten before it was read. */
async function closeGaps(file: PackFile, source: IndexEntry[], entries: Map<string, IndexEntry>): Promise<number> {
  let end = 0;
  for (const { sha256, offset, length } of source) {
    for (let done = 0; offset !== end && done < length; ) {
      const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, length - done));
      await file.read(bytes, offset + done);
      await file.write(bytes, end + done);
      done += bytes.length;
    }
    entries.set(sha256, { sha256, offset: end, length });
    end += length;
  }
  return end;
}
