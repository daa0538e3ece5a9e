import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/config/durations.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10min', 600_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['5 min', 300_000],
  ])('api §10: reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 's', '-1s', '1.5h', '1e3s', '5m', '5 minutes', '1h30min', '9999999999d'])(
    'refuses %j and says what would be valid',
    (text) => {
      expect(() => parseDuration(text)).toThrow(
        /is not a duration; use a number of at most 9 digits and a unit, such as "500ms"/,
      );
    },
  );
});
