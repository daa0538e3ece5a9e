import { setFlagsFromString } from 'node:v8';

/** The flags of V8 that bound the heap. V8 ignores flags that it does not know, and prints a line for each. */
export const MEMORY_FLAGS = [
  '--semi-space-growth-factor=1',
  // Collects garbage when the heap is 50 % larger than the live objects after the last collection.
  '--heap-growing-percent=50',
];

/**
 * Keeps the heap close to the size of the live objects. Otherwise the young generation grows to 64 MiB for a large folder and keeps
 * that size for days in an idle app, and garbage grows to several times the live objects before it is collected. The cost in time
 * is too small to measure (`npm run bench:desktop`). Must be called first, because it does not shrink a heap that has grown.
 */
export function boundMemory(): void {
  for (const flag of MEMORY_FLAGS) setFlagsFromString(flag);
}
