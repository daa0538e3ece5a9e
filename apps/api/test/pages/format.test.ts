import { expect, it } from 'vitest';
import { formatDuration } from '../../src/pages/format.ts';

it.each([
  [0, '1 second', '1 second'],
  [59_400, '59 seconds', '59 seconds'],
  [59_900, '1 minute', '1 minute'],
  [61_000, '2 minutes', '1 minute'],
  [89 * 60_000, '89 minutes', '89 minutes'],
  [91 * 60_000, '2 hours', '1 hour'],
  [35 * 3_600_000, '35 hours', '35 hours'],
  [37 * 3_600_000, '2 days', '1 day'],
  [1_500 * 86_400_000, '1,500 days', '1,500 days'],
])(
  'a span of %d ms is rounded up to %s by default, so that clients never retry too early, and down to %s for the past',
  (spanMs, ahead, ago) => {
    expect([formatDuration(spanMs), formatDuration(spanMs, Math.floor)]).toEqual([ahead, ago]);
  },
);
