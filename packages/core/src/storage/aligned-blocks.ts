/**
 * Reserves page-aligned buffers, which O_DIRECT needs. Only WebAssembly gives page-aligned memory without native code. The
 * memory is shared with other threads, and is freed together with the last block.
 *
 * @param count The number of blocks.
 * @param size The size of each block in bytes, a multiple of 64 KiB.
 * @returns A function that returns the next block, or `null` if no block or no memory is left.
 */
export function alignedBlocks(count: number, size: number): () => Buffer | null {
  let memory: SharedArrayBuffer | null | undefined;
  let allocated = 0;
  return () => {
    if (memory === undefined) memory = reserveMemory(count * size);
    if (memory === null || allocated === count) return null;
    allocated += 1;
    return Buffer.from(memory, (allocated - 1) * size, size);
  };
}

/** The types of Node do not declare WebAssembly. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => { buffer: SharedArrayBuffer };
};

const PAGE_BYTES = 64 * 1024;

function reserveMemory(bytes: number): SharedArrayBuffer | null {
  const pages = bytes / PAGE_BYTES;
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
  } catch (error) {
    // Node limits the address space of shared memories. The caller then uses ordinary buffers.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
