import { expect, test } from 'vitest';
import { backoffMs, retryAfterMs } from '../../src/retry.ts';

test('backoffMs doubles the pause with each failure, up to the maximum', () => {
  expect([0, 1, 2, 3, 4].map((failures) => backoffMs(failures, 100, 1_000))).toEqual([100, 200, 400, 800, 1_000]);
  expect(backoffMs(5_000, 100, 1_000)).toBe(1_000);
});

test('retryAfterMs returns what the server asked for, at most a day, and 0 if it asked for nothing', () => {
  const pauses = [null, 0, 7, 86_401, Number.MAX_VALUE].map((retryAfterSeconds) => retryAfterMs({ retryAfterSeconds }));
  expect(pauses).toEqual([0, 0, 7_000, 86_400_000, 86_400_000]);
});
