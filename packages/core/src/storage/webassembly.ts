/** The types of Node do not declare WebAssembly. These are the parts that Berth uses. */
declare const WebAssembly: {
  Memory: {
    new (limits: { initial: number; maximum: number; shared: true }): { buffer: SharedArrayBuffer };
    new (limits: { initial: number }): { buffer: ArrayBuffer };
  };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** The unit in which memory is reserved. */
const PAGE_BYTES = 64 * 1024;

/** Reserves page-aligned memory that threads can share. @returns `null` if Node has no address space left for it. */
export function reserveSharedMemory(bytes: number): SharedArrayBuffer | null {
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return unlessFull(() => new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer);
}

/**
 * Starts a module that imports its memory as `host.memory` and exports one function, `run`.
 *
 * @param code The module in the binary format.
 * @returns `null` if Node has no address space left for the memory.
 */
export function startModule<F>(
  code: Uint8Array<ArrayBuffer>,
  memoryBytes: number,
): { run: F; memory: ArrayBuffer } | null {
  return unlessFull(() => {
    const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / PAGE_BYTES) });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { host: { memory } });
    return { run: exports['run'] as F, memory: memory.buffer };
  });
}

function unlessFull<T>(reserve: () => T): T | null {
  try {
    return reserve();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
