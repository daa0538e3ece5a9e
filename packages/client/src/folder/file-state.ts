import type { BigIntStats } from 'node:fs';

/**
 * The resolution of coarse file system clocks, in nanoseconds: of Linux kernels, and of systems that store only seconds (FAT).
 */
const FINE_TICK_NS = 20_000_000n;
const COARSE_TICK_NS = 2_000_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Combines size, times and inode of a file. While they stay the same, so does its content. */
export function fileStateOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}.${mtimeNs}.${ctimeNs}.${ino}`;
}

/**
 * Returns true if the file has not changed for a while, so that any write after `nowMs` must change its times. A file that was
 * written just now may change within the same tick of the clock and still have the same state. Git calls such index entries
 * racy.
 *
 * @param nowMs When the state was read, in Unix milliseconds.
 */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, nowMs: number): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = latest % SECOND_NS === 0n ? COARSE_TICK_NS : FINE_TICK_NS;
  return latest + tick < BigInt(nowMs) * 1_000_000n;
}
