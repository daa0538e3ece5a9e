import { describe, expect, it } from 'vitest';
import { formatByteLimit } from '@berth/contract';
import { bytes, count, duration } from '../../src/amounts.ts';

describe('the functions for amounts', () => {
  it.each([
    [3, '3 bytes'],
    [1_000, '1.0 kB (1,000 bytes)'],
    [20_971_520, '21 MB (20,971,520 bytes)'],
  ])('format a limit of %i bytes as "%s"', (limit, text) => expect(formatByteLimit(limit)).toBe(text));

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [9_949, '9.9 kB'],
    [9_960, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [28_000_000, '28 MB'],
    [5_000_000_000_000_000, '5000 TB'],
  ])('format %d bytes as %s', (number, text) => expect(bytes(number)).toBe(text));

  it.each([
    [0.42, '0.4 s'],
    [12, '12 s'],
    [90, '1.5 min'],
    [3_600, '1 h'],
    [259_200, '3 d'],
  ])('format %d seconds as %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  it('format a number with its noun', () => {
    expect([count(1, 'file'), count(0, 'file'), count(10_000, 'file')]).toEqual(['1 file', '0 files', '10,000 files']);
  });
});
