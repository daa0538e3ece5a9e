/** The length of a billing period. */
export type BillingPeriod = 'month' | 'year';

const MONTHS = { month: 1, year: 12 } as const satisfies Record<BillingPeriod, number>;

/**
 * Returns the end of the billing period that contains a given time. The end itself belongs to the next period.
 *
 * Periods follow the calendar, in UTC, and are counted from the start of the first period, so that they do not drift:
 * after a start on 31 January, the next periods begin on 28 or 29 February, 31 March and 30 April.
 *
 * @param started The start of the first period. Earlier times count as part of the first period. Source: api §6.
 */
export function endOfPeriod(started: Date, period: BillingPeriod, now: Date): Date {
  const step = MONTHS[period];
  const passedPeriods = Math.floor((monthsOf(now) - monthsOf(started)) / step);
  const periodEnd = addMonths(started, Math.max(1, passedPeriods) * step);
  return periodEnd > now ? periodEnd : addMonths(started, (passedPeriods + 1) * step);
}

function monthsOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Adds months to a date. If the month has no such day, the result is the last day of the month. */
function addMonths(date: Date, months: number): Date {
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const movedDate = new Date(date);
  movedDate.setUTCMonth(month, Math.min(date.getUTCDate(), lastDay));
  return movedDate;
}
