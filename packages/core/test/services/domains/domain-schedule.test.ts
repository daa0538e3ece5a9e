import { describe, expect, it } from 'vitest';
import type { DnsCheck } from '../../../src/entities/index.ts';
import { type DomainState, applyChecks } from '../../../src/services/domains/domain-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = new Date('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(START.getTime() + ms);

const OK: DnsCheck = { type: 'A', name: 'example.com', expected: [], found: [], ok: true };
const MISS: DnsCheck = { ...OK, ok: false, reason: 'no' };
const FAILED: DnsCheck = { ...OK, ok: false, reason: 'late', failed: true };

const AWAITED = {
  status: 'pending',
  verified: null,
  misses: 0,
  missing: null,
  nextCheck: null,
  created: START,
} as const;
const PROVED = { ...AWAITED, status: 'success', verified: START } as const;

type Row = DomainState & { created: Date };
const check = (row: Row, checks: DnsCheck[], ms: number, asked = false): Row => ({
  ...row,
  ...applyChecks(row, checks, { now: at(ms), asked }),
});

describe('api §4: an unverified domain', () => {
  it.each<[string, DnsCheck[], string]>([
    ['pending', [MISS, MISS], 'pending'],
    ['pending', [OK, MISS], 'partial'],
    ['pending', [OK, OK], 'success'],
    ['pending', [FAILED], 'pending'],
    ['partial', [MISS, MISS], 'pending'],
    ['partial', [FAILED, MISS], 'partial'],
    ['paused', [OK, OK], 'paused'],
    ['paused', [MISS], 'paused'],
  ])('changes from %s by %j to %s', (status, checks, then) => {
    const next = check({ ...AWAITED, status } as Row, checks, 0);
    expect(next.status).toBe(then);
    expect(next.verified).toEqual(then === 'success' ? START : null);
  });

  it('is checked after growing pauses, from a minute up to 6 hours, and no longer after 30 days', () => {
    const pauses: number[] = [];
    let row: Row = AWAITED;
    let now = MINUTE;
    for (;;) {
      row = check(row, [pauses.length % 2 === 0 ? MISS : FAILED], now);
      if (!row.nextCheck) break;
      const pause = row.nextCheck.getTime() - at(now).getTime();
      pauses.push(pause);
      now += pause;
    }
    expect(pauses.slice(0, 11).map((pause) => pause / MINUTE)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    expect(now).toBeGreaterThanOrEqual(30 * DAY);
    expect(now).toBeLessThan(30 * DAY + 6 * HOUR);
    expect(row.status).toBe('pending');

    row = check(row, [MISS], now + DAY, true);
    expect(row.nextCheck).toEqual(at(now + DAY + MINUTE));
    row = check(row, [MISS], now + DAY + MINUTE);
    expect(row.nextCheck).toEqual(at(now + DAY + 3 * MINUTE));
  });
});

describe('T28: a serving domain', () => {
  it('is checked daily, and sooner after a check without an answer', () => {
    expect(check(PROVED, [OK], 0).nextCheck).toEqual(at(DAY));
    expect(check(PROVED, [FAILED, OK], 0)).toEqual({ ...PROVED, nextCheck: at(HOUR) });
  });

  it('is lost by definite misses in a row over 7 days, not before', () => {
    let row: Row = PROVED;
    for (let day = 0; day < 7; day += 1) {
      row = check(row, [MISS, OK], day * DAY);
      expect(row).toMatchObject({
        status: 'success',
        verified: START,
        misses: day + 1,
        nextCheck: at((day + 1) * DAY),
      });
    }
    row = check(row, [MISS, OK], 7 * DAY);
    expect(row).toMatchObject({ status: 'partial', verified: null, nextCheck: at(7 * DAY + MINUTE) });
    row = check(row, [MISS, MISS], 7 * DAY + MINUTE);
    expect(row.status).toBe('pending');
    expect(check(row, [OK, OK], 7 * DAY + 3 * MINUTE)).toMatchObject({ status: 'success', misses: 0, missing: null });
  });

  it('is not lost by fewer than three misses, however long they take', () => {
    const row = check(check(PROVED, [MISS], 0), [MISS], 30 * DAY);
    expect(row.status).toBe('success');
    expect(check(row, [MISS], 31 * DAY).status).toBe('pending');
  });

  it('is never lost by failed checks', () => {
    let row: Row = check(check(PROVED, [MISS], 0), [MISS], DAY);
    for (let hour = 0; hour < 24 * 60; hour += 1) row = check(row, [FAILED, OK], DAY + hour * HOUR);
    expect(row).toMatchObject({ status: 'success', verified: START, misses: 2 });
  });

  it('is not lost by checks that a person requested', () => {
    let row: Row = PROVED;
    for (let day = 0; day < 20; day += 1) row = check(row, [MISS], day * DAY, true);
    expect(row).toMatchObject({ status: 'success', misses: 0 });
  });

  it('counts misses from zero after its records were found again', () => {
    const row = check(check(check(PROVED, [MISS], 0), [MISS], DAY), [OK], 2 * DAY);
    expect(check(check(row, [MISS], 8 * DAY), [MISS], 14 * DAY)).toMatchObject({ status: 'success', misses: 2 });
  });

  it('stays paused, and only loses its proof', () => {
    const paused: Row = { ...PROVED, status: 'paused' };
    const row = check(check(check(paused, [MISS], 0), [MISS], 4 * DAY), [MISS], 8 * DAY);
    expect(row).toMatchObject({ status: 'paused', verified: null, nextCheck: null });
  });
});
