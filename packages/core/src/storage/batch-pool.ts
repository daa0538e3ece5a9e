import { alignedBlocks } from './aligned-blocks.ts';

/** The size of a batch in bytes. Smaller batches need more round trips to the threads that hash them. */
export const BATCH_BYTES = 1024 ** 2;
/** As many as one upload uses at the same time. */
const MAX_FREE_BATCHES = 10;

const allocateAligned = alignedBlocks(MAX_FREE_BATCHES, BATCH_BYTES);

/**
 * The batches that no pack uses. Those in page-aligned memory, which can be written with O_DIRECT, are at the end and are
 * taken first. The same few batches serve all uploads, because new memory costs more than what is done with it: on a
 * virtual machine, the first touch of a page can take 10 µs.
 */
const freeBatches: Buffer[] = [];

/** Returns a batch of {@link BATCH_BYTES} with any content, page-aligned if one is left. */
export function takeBatch(): Buffer {
  return freeBatches.pop() ?? allocateAligned() ?? Buffer.from(new ArrayBuffer(BATCH_BYTES));
}

/** Returns a batch to the pool. The caller must not use it afterwards. A batch of another size is dropped. */
export function returnBatch(batch: Buffer): void {
  if (batch.length !== BATCH_BYTES) return;
  if (batch.buffer instanceof ArrayBuffer) freeBatches.unshift(batch);
  else freeBatches.push(batch);
  if (freeBatches.length > MAX_FREE_BATCHES) freeBatches.shift();
}
