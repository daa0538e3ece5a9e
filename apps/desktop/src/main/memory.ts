import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap close to the size of the live objects. Otherwise a large folder lets the young generation grow to 64 MiB, where
 * it stays for days in an idle app, and garbage grows to several times the live objects before it is collected. The cost in time
 * is too small to measure (`npm run bench:desktop`).
 *
 * Call it before anything else: it does not shrink a heap that has grown already.
 */
export function boundMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Collects garbage when the heap is 50 % larger than the live objects after the last collection.
  setFlagsFromString('--heap-growing-percent=50');
}
