import type { BigIntStats } from 'node:fs';
import { expect, test } from 'vitest';
import { isSettled } from '../../src/folder/hash-cache.ts';

const NOW_MS = 1_800_000_000_500;
const agoNs = (ms: number) => BigInt(NOW_MS - ms) * 1_000_000n + 123n;
const wholeSecondAgoNs = (seconds: number) => BigInt(Math.floor(NOW_MS / 1000) - seconds) * 1_000_000_000n;

const CASES = [
  ['long ago', agoNs(60_000), agoNs(60_000), true],
  ['a moment ago', agoNs(5), agoNs(5), false],
  ['long enough ago for a fine clock', agoNs(30), agoNs(30), true],
  ['a second ago on a coarse clock', wholeSecondAgoNs(1), wholeSecondAgoNs(1), false],
  ['long enough ago for a coarse clock', wholeSecondAgoNs(3), wholeSecondAgoNs(3), true],
  ['long ago as its time says, which was set a moment ago', agoNs(60_000), agoNs(5), false],
  ['in the future', agoNs(-60_000), agoNs(60_000), false],
] as const;

test.each(CASES)('a file written %s', (_, mtimeNs, ctimeNs, settled) => {
  expect(isSettled({ mtimeNs, ctimeNs } as BigIntStats, NOW_MS)).toBe(settled);
});
