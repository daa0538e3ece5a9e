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

const UNVERIFIED = {
  status: 'pending',
  verified: null,
  misses: 0,
  missing: null,
  nextCheck: null,
  created: START,
} as const;
const VERIFIED = { ...UNVERIFIED, status: 'success', verified: START } as const;

type Row = DomainState & { created: Date };
const check = (row: Row, checks: DnsCheck[], ms: number, isManual = false): Row => ({
  ...row,
  ...applyChecks(row, checks, { now: at(ms), isManual }),
});

describe('api §4: an unverified domain', () => {
  it.each<[string, string, DnsCheck[]]>([
    ['pending', 'pending', [MISS, MISS]],
    ['pending', 'partial', [OK, MISS]],
    ['pending', 'success', [OK, OK]],
    ['pending', 'pending', [FAILED]],
    ['partial', 'pending', [MISS, MISS]],
    ['partial', 'partial', [FAILED, MISS]],
    ['paused', 'paused', [OK, OK]],
    ['paused', 'paused', [MISS]],
  ])('changes from %s to %s after these checks: %j', (status, then, checks) => {
    const next = check({ ...UNVERIFIED, status } as Row, checks, 0);
    expect(next.status).toBe(then);
    expect(next.verified).toEqual(then === 'success' ? START : null);
  });

  it('is checked after growing pauses, from a minute up to 6 hours, for 30 days', () => {
    const pauses: number[] = [];
    let row: Row = UNVERIFIED;
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

describe('T28: a verified domain', () => {
  it('is checked daily, and an hour after a check that failed', () => {
    expect(check(VERIFIED, [OK], 0).nextCheck).toEqual(at(DAY));
    expect(check(VERIFIED, [FAILED, OK], 0)).toEqual({ ...VERIFIED, nextCheck: at(HOUR) });
  });

  it('is lost only after its records have been missing in each check for 7 days', () => {
    let row: Row = VERIFIED;
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

  it('is not lost after fewer than three misses, however far apart they are', () => {
    const row = check(check(VERIFIED, [MISS], 0), [MISS], 30 * DAY);
    expect(row.status).toBe('success');
    expect(check(row, [MISS], 31 * DAY).status).toBe('pending');
  });

  it('is never lost because of failed checks', () => {
    let row: Row = check(check(VERIFIED, [MISS], 0), [MISS], DAY);
    for (let hour = 0; hour < 24 * 60; hour += 1) row = check(row, [FAILED, OK], DAY + hour * HOUR);
    expect(row).toMatchObject({ status: 'success', verified: START, misses: 2 });
  });

  it('is not lost because of checks that a person requested', () => {
    let row: Row = VERIFIED;
    for (let day = 0; day < 20; day += 1) row = check(row, [MISS], day * DAY, true);
    expect(row).toMatchObject({ status: 'success', misses: 0 });
  });

  it('counts misses from zero after its records were found again', () => {
    const row = check(check(check(VERIFIED, [MISS], 0), [MISS], DAY), [OK], 2 * DAY);
    expect(check(check(row, [MISS], 8 * DAY), [MISS], 14 * DAY)).toMatchObject({ status: 'success', misses: 2 });
  });

  it('stays paused when it is lost, but is no longer verified', () => {
    const paused: Row = { ...VERIFIED, status: 'paused' };
    const row = check(check(check(paused, [MISS], 0), [MISS], 4 * DAY), [MISS], 8 * DAY);
    expect(row).toMatchObject({ status: 'paused', verified: null, nextCheck: null });
  });
});
