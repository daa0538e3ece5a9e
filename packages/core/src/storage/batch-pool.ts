/** How many bytes go to the store at once, in bytes. */
export const BATCH_BYTES = 1024 * 1024;

const MOST_SPARE = 16;
const spare: Buffer<SharedArrayBuffer>[] = [];

/** A batch to fill, in memory that the hashing thread sees too. What it holds is left over from others: only read what was written. */
export function takeBatch(): Buffer<SharedArrayBuffer> {
  return spare.pop() ?? Buffer.from(new SharedArrayBuffer(BATCH_BYTES));
}

/** Gives a batch back that nobody reads or writes any more. */
export function giveBatch(batch: Buffer<SharedArrayBuffer>): void {
  if (spare.length < MOST_SPARE) spare.push(batch);
}
