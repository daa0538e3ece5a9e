import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap close to the size of the live objects: garbage is collected when the heap is 50 % larger than after the
 * last collection. Otherwise bursts of large requests let it grow to several times the live objects.
 *
 * Call it before anything else. It applies to this process.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
