import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfPeriod } from '../../../src/services/accounts/billing-periods.ts';

const dateOf = (text: string) => new Date(text.includes('T') ? text : `${text}T12:00:00Z`);

describe('api §6: the end of a billing period', () => {
  it.each([
    ['2026-01-15', 'month', '2026-01-15', '2026-02-15'],
    ['2026-01-15', 'month', '2026-02-14', '2026-02-15'],
    ['2026-01-15', 'month', '2026-02-15', '2026-03-15'],
    ['2026-01-15', 'month', '2026-12-20', '2027-01-15'],
    ['2026-01-15', 'month', '2030-06-01', '2030-06-15'],
    ['2026-01-31', 'month', '2026-02-01', '2026-02-28'],
    ['2024-01-31', 'month', '2024-02-01', '2024-02-29'],
    ['2026-01-31', 'month', '2026-02-28', '2026-03-31'],
    ['2026-01-31', 'month', '2026-04-01', '2026-04-30'],
    ['2026-01-31', 'month', '2026-04-30', '2026-05-31'],
    ['2026-01-30', 'month', '2026-02-27', '2026-02-28'],
    ['2026-08-31', 'month', '2026-12-31', '2027-01-31'],
    ['2026-12-31', 'month', '2027-02-27', '2027-02-28'],
    ['2026-03-10', 'year', '2026-03-10', '2027-03-10'],
    ['2026-03-10', 'year', '2027-03-09', '2027-03-10'],
    ['2026-03-10', 'year', '2027-03-10', '2028-03-10'],
    ['2024-02-29', 'year', '2024-03-01', '2025-02-28'],
    ['2024-02-29', 'year', '2027-06-01', '2028-02-29'],
    ['2026-12-31', 'year', '2030-01-01', '2030-12-31'],
    ['2026-01-15', 'month', '2025-11-01', '2026-02-15'],
  ] as const)('is, if periods start on %s, last a %s and today is %s, on %s', (started, period, now, end) => {
    expect(endOfPeriod(dateOf(started), period, dateOf(now))).toEqual(dateOf(end));
  });

  it('has the time of day of the start, to the millisecond, and belongs to the next period', () => {
    const started = dateOf('2026-01-31T23:59:59.999Z');
    const end = dateOf('2026-02-28T23:59:59.999Z');
    expect(endOfPeriod(started, 'month', new Date(end.getTime() - 1))).toEqual(end);
    expect(endOfPeriod(started, 'month', end)).toEqual(dateOf('2026-03-31T23:59:59.999Z'));
  });

  it('is later than the given time, by at most the length of one period', () => {
    const moment = fc.date({ min: dateOf('2000-01-01'), max: dateOf('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, moment, fc.constantFrom('month' as const, 'year' as const), (one, other, period) => {
        const [started, now] = one < other ? [one, other] : [other, one];
        const end = endOfPeriod(started, period, now);
        expect(end > now).toBe(true);
        expect(end.getTime() - now.getTime()).toBeLessThanOrEqual((period === 'month' ? 31 : 366) * 86_400_000);
        expect(endOfPeriod(started, period, new Date(end.getTime() - 1))).toEqual(end);
        expect([started.getUTCDate(), 28, 29, 30]).toContain(end.getUTCDate());
      }),
    );
  });
});
