/**
 * Allocates page-aligned buffers, which O_DIRECT needs.
 *
 * WebAssembly is the only way to get page-aligned memory without native code. The memory is shared, so posting it to another
 * thread does not move it. It is freed together with the last block.
 *
 * @param count Number of blocks.
 * @param size Size of each block in bytes, a multiple of 64 KiB.
 * @returns A function that gives the next block, or `null` when all blocks are in use or the memory cannot be reserved.
 */
export function alignedBlocks(count: number, size: number): () => Buffer | null {
  let memory: SharedArrayBuffer | null | undefined;
  let allocated = 0;
  return () => {
    if (memory === undefined) memory = reserve(count * size);
    if (memory === null || allocated === count) return null;
    allocated += 1;
    return Buffer.from(memory, (allocated - 1) * size, size);
  };
}

/** The part of WebAssembly used here. The types of Node do not declare it. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer };
};

const PAGE_BYTES = 64 * 1024;

function reserve(bytes: number): SharedArrayBuffer | null {
  const pages = bytes / PAGE_BYTES;
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
  } catch (error) {
    // Node limits the address space for shared memories. The caller falls back to ordinary buffers.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
