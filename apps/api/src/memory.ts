import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap close to the size of the live objects: garbage is collected when the heap is 50 % larger than after the
 * last collection. Otherwise bursts of large requests let it grow to several times the live objects. Collecting so often
 * makes visits up to a third slower, so it applies only until {@link relaxHeap}.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** Lets V8 decide again when garbage is collected. */
export function relaxHeap(): void {
  setFlagsFromString('--heap-growing-percent=0');
}
