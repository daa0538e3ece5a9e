/**
 * Gives out blocks of memory that begin where a page of memory begins: a disk can take them as they are, past the page cache.
 *
 * WebAssembly is what gives such memory to a program without native code. It is shared, so it does not move to other threads,
 * and it is let go of when the last block is.
 *
 * @param most How many blocks there are.
 * @param size Of one block, in bytes: a multiple of 64 KiB.
 * @returns Gives the next block; `null` when all are given out, or no such memory can be had.
 */
export function alignedBlocks(most: number, size: number): () => Buffer | null {
  let memory: SharedArrayBuffer | null | undefined;
  let given = 0;
  return () => {
    if (memory === undefined) memory = reserve(most * size);
    if (memory === null || given === most) return null;
    given += 1;
    return Buffer.from(memory, (given - 1) * size, size);
  };
}

/** What of WebAssembly is used; the types of Node leave it out. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer };
};

const PAGE_BYTES = 64 * 1024;

function reserve(bytes: number): SharedArrayBuffer | null {
  const pages = bytes / PAGE_BYTES;
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
  } catch (error) {
    // Address space for such memories is limited; there is other memory.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
