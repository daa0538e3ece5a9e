import { reserveSharedMemory } from './webassembly.ts';

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
    if (memory === undefined) memory = reserveSharedMemory(count * size);
    if (memory === null || allocated === count) return null;
    allocated += 1;
    return Buffer.from(memory, (allocated - 1) * size, size);
  };
}
