import { alignedBlocks } from './aligned-blocks.ts';

/** The size of a batch in bytes. Smaller batches need more round trips to the threads that hash them. */
export const BATCH_BYTES = 1024 ** 2;
/** The batches of an upload that may be hashed or written at the same time. Enough that it continues while the disk syncs what it has. */
export const BATCHES_IN_FLIGHT = 8;
/** As many as one upload uses: its writer pauses after one more than {@link BATCHES_IN_FLIGHT}, and then fills another. */
const MAX_FREE_BATCHES = BATCHES_IN_FLIGHT + 2;

/** Lends batches of {@link BATCH_BYTES}. */
export interface BatchPool {
  /** Returns a batch with any content, page-aligned if one is left. */
  take(): Buffer;
  /** Takes a batch back. The caller must not use it afterwards. A batch of another size is dropped. */
  giveBack(batch: Buffer): void;
}

/**
 * Creates a pool of ten page-aligned batches, which can be written with O_DIRECT. If all are in use, it lends ordinary memory.
 *
 * The batch that was given back last is used next, because new memory costs more than what is done with it: on a virtual
 * machine, the first touch of a page can take 10 µs.
 */
export function createBatchPool(): BatchPool {
  // The page-aligned batches are at the end.
  const freeBatches: Buffer[] = [];
  const allocateAligned = alignedBlocks(MAX_FREE_BATCHES, BATCH_BYTES);
  return {
    take: () => freeBatches.pop() ?? allocateAligned() ?? Buffer.from(new ArrayBuffer(BATCH_BYTES)),
    giveBack(batch) {
      if (batch.length !== BATCH_BYTES) return;
      if (batch.buffer instanceof ArrayBuffer) freeBatches.unshift(batch);
      else freeBatches.push(batch);
      if (freeBatches.length > MAX_FREE_BATCHES) freeBatches.shift();
    },
  };
}

/** The batches of all uploads of this process. */
export const uploadBatches = createBatchPool();
