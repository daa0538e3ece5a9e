import { describe, expect, it } from 'vitest';
import type { DnsCheck } from '../../../src/entities/index.ts';
import { type DomainState, applyChecks } from '../../../src/services/domains/domain-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = new Date('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(START.getTime() + ms);

const FOUND_RECORD: DnsCheck = { type: 'A', name: 'example.com', expected: [], found: [], ok: true };
const MISSED_RECORD: DnsCheck = { ...FOUND_RECORD, ok: false, reason: 'no' };
const FAILED: DnsCheck = { ...FOUND_RECORD, ok: false, reason: 'late', failed: true };

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
    ['pending', 'pending', [MISSED_RECORD, MISSED_RECORD]],
    ['pending', 'partial', [FOUND_RECORD, MISSED_RECORD]],
    ['pending', 'success', [FOUND_RECORD, FOUND_RECORD]],
    ['pending', 'pending', [FAILED]],
    ['partial', 'pending', [MISSED_RECORD, MISSED_RECORD]],
    ['partial', 'partial', [FAILED, MISSED_RECORD]],
    ['paused', 'paused', [FOUND_RECORD, FOUND_RECORD]],
    ['paused', 'paused', [MISSED_RECORD]],
  ])('changes from %s to %s after these checks: %j', (status, then, checks) => {
    const nextSchedule = check({ ...UNVERIFIED, status } as Row, checks, 0);
    expect(nextSchedule.status).toBe(then);
    expect(nextSchedule.verified).toEqual(then === 'success' ? START : null);
  });

  it('is checked after growing pauses, from a minute up to 6 hours, for 30 days', () => {
    const pauses: number[] = [];
    let row: Row = UNVERIFIED;
    let now = MINUTE;
    for (;;) {
      row = check(row, [pauses.length % 2 === 0 ? MISSED_RECORD : FAILED], now);
      if (!row.nextCheck) break;
      const pause = row.nextCheck.getTime() - at(now).getTime();
      pauses.push(pause);
      now += pause;
    }
    expect(pauses.slice(0, 11).map((pause) => pause / MINUTE)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    expect(now).toBeGreaterThanOrEqual(30 * DAY);
    expect(now).toBeLessThan(30 * DAY + 6 * HOUR);
    expect(row.status).toBe('pending');

    row = check(row, [MISSED_RECORD], now + DAY, true);
    expect(row.nextCheck).toEqual(at(now + DAY + MINUTE));
    row = check(row, [MISSED_RECORD], now + DAY + MINUTE);
    expect(row.nextCheck).toEqual(at(now + DAY + 3 * MINUTE));
  });
});

describe('T28: a verified domain', () => {
  it('is checked daily, and an hour after a check that failed', () => {
    expect(check(VERIFIED, [FOUND_RECORD], 0).nextCheck).toEqual(at(DAY));
    expect(check(VERIFIED, [FAILED, FOUND_RECORD], 0)).toEqual({ ...VERIFIED, nextCheck: at(HOUR) });
  });

  it('is lost only after its records have been missing in each check for 7 days', () => {
    let row: Row = VERIFIED;
    for (let day = 0; day < 7; day += 1) {
      row = check(row, [MISSED_RECORD, FOUND_RECORD], day * DAY);
      expect(row).toMatchObject({
        status: 'success',
        verified: START,
        misses: day + 1,
        nextCheck: at((day + 1) * DAY),
      });
    }
    row = check(row, [MISSED_RECORD, FOUND_RECORD], 7 * DAY);
    expect(row).toMatchObject({ status: 'partial', verified: null, nextCheck: at(7 * DAY + MINUTE) });
    row = check(row, [MISSED_RECORD, MISSED_RECORD], 7 * DAY + MINUTE);
    expect(row.status).toBe('pending');
    expect(check(row, [FOUND_RECORD, FOUND_RECORD], 7 * DAY + 3 * MINUTE)).toMatchObject({
      status: 'success',
      misses: 0,
      missing: null,
    });
  });

  it('is not lost after fewer than three misses, however far apart they are', () => {
    const row = check(check(VERIFIED, [MISSED_RECORD], 0), [MISSED_RECORD], 30 * DAY);
    expect(row.status).toBe('success');
    expect(check(row, [MISSED_RECORD], 31 * DAY).status).toBe('pending');
  });

  it('is never lost because of failed checks', () => {
    let row: Row = check(check(VERIFIED, [MISSED_RECORD], 0), [MISSED_RECORD], DAY);
    for (let hour = 0; hour < 24 * 60; hour += 1) row = check(row, [FAILED, FOUND_RECORD], DAY + hour * HOUR);
    expect(row).toMatchObject({ status: 'success', verified: START, misses: 2 });
  });

  it('is not lost because of checks that a person requested', () => {
    let row: Row = VERIFIED;
    for (let day = 0; day < 20; day += 1) row = check(row, [MISSED_RECORD], day * DAY, true);
    expect(row).toMatchObject({ status: 'success', misses: 0 });
  });

  it('counts misses from zero after its records were found again', () => {
    const row = check(check(check(VERIFIED, [MISSED_RECORD], 0), [MISSED_RECORD], DAY), [FOUND_RECORD], 2 * DAY);
    expect(check(check(row, [MISSED_RECORD], 8 * DAY), [MISSED_RECORD], 14 * DAY)).toMatchObject({
      status: 'success',
      misses: 2,
    });
  });

  it('stays paused when it is lost, but is no longer verified', () => {
    const paused: Row = { ...VERIFIED, status: 'paused' };
    const row = check(check(check(paused, [MISSED_RECORD], 0), [MISSED_RECORD], 4 * DAY), [MISSED_RECORD], 8 * DAY);
    expect(row).toMatchObject({ status: 'paused', verified: null, nextCheck: null });
  });
});
