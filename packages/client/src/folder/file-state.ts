import type { BigIntStats } from 'node:fs';

/** Coarse clocks of file systems tick this often, in nanoseconds: Linux kernels, and those that keep seconds alone (FAT). */
const FINE_TICK_NS = 20_000_000n;
const COARSE_TICK_NS = 2_000_000_000n;
const SECOND_NS = 1_000_000_000n;

/** Size, times and inode of a file: as long as they stay the same, so does its content. */
export function stateOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return `${size}.${mtimeNs}.${ctimeNs}.${ino}`;
}

/**
 * Whether a file was left alone for long enough that a write to it after `now` must show in its times. One that was not may
 * change within the tick of the clock it was read in, and look the same. Git calls such entries of its index racy.
 *
 * @param nowMs When its state was read, in Unix milliseconds.
 */
export function isSettled({ mtimeNs, ctimeNs }: BigIntStats, nowMs: number): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = latest % SECOND_NS === 0n ? COARSE_TICK_NS : FINE_TICK_NS;
  return latest + tick < BigInt(nowMs) * 1_000_000n;
}
