import type { BigIntStats } from 'node:fs';

/** The resolution of file times on Linux, with a reserve. */
const FINE_TICK_NS = 20_000_000n;
/** The resolution of file times on systems that store only whole seconds, such as FAT. */
const COARSE_TICK_NS = 2_000_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Combines size, times and inode of a file. An equal state means that the bytes have not changed. */
export function fileStateOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}.${mtimeNs}.${ctimeNs}.${ino}`;
}

/**
 * Returns true if any write after `nowMs` changes the times of the file. A file that was written just before may change within
 * the same tick of the clock, and keep its state. Git calls such index entries racy.
 *
 * @param nowMs When the state was read, in Unix milliseconds.
 */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, nowMs: number): boolean {
  const latestNs = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tickNs = latestNs % SECOND_NS === 0n ? COARSE_TICK_NS : FINE_TICK_NS;
  return latestNs + tickNs < BigInt(nowMs) * 1_000_000n;
}
