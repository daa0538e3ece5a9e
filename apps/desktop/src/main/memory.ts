import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap close to what lives in it. A large folder would let the part for young objects grow to 64 MiB, and stay so for
 * days in an app that waits; and garbage would pile up to several times of what lives before it is looked for. It costs no time
 * that could be measured (`npm run bench:desktop`).
 *
 * To be called before anything else: it counts for what is not grown yet.
 */
export function boundMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Garbage is looked for when the heap is half as large again as what lived after the last time.
  setFlagsFromString('--heap-growing-percent=50');
}
