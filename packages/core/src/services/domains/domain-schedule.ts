import type { DnsCheck, Domain } from '../../entities/index.ts';

/** What looks move. */
export type DomainState = Pick<Domain, 'status' | 'verified' | 'misses' | 'missing' | 'nextCheck'>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The pauses of a domain that is waited for: the first one, doubled after each look up to the longest. */
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
/** How long a domain is waited for after it was made, or after somebody asked last. */
const PATIENCE_MS = 30 * DAY_MS;
/** How often a domain that serves is looked at; sooner after a look that was not answered. */
const DAILY_MS = DAY_MS;
const RETRY_MS = HOUR_MS;
/** No next check is scheduled further ahead. */
export const LONGEST_SCHEDULE_MS = DAILY_MS;
/** A domain that serves is lost after so many definite misses in a row over such a time. Source: security T28. */
const MISSES_TO_LOSE = 3;
const MISSING_TO_LOSE_MS = 7 * DAY_MS;

/**
 * What a look makes of a domain. Pure.
 *
 * One that was proved loses that only by definite misses, three in a row over 7 days; a look that failed or was not
 * answered counts for nothing, and neither does one that somebody asked for. One that is waited for is looked at after 1,
 * 2, 4, … minutes, at last every 6 hours, for 30 days. A paused one stays so.
 *
 * @param asked Whether somebody asked for the look, who has probably just changed the records.
 * Source: contract §4; security T28.
 */
export function judgeChecks(
  row: DomainState & Pick<Domain, 'created'>,
  checks: readonly DnsCheck[],
  { now, asked }: { now: Date; asked: boolean },
): DomainState {
  return row.verified === null ? judgeAwaited(row, checks, now, asked) : judgeProved(row, checks, now, asked);
}

function judgeAwaited(
  row: DomainState & Pick<Domain, 'created'>,
  checks: readonly DnsCheck[],
  now: Date,
  asked: boolean,
): DomainState {
  const { status, verified } = row;
  if (status === 'paused') return { status, verified, misses: 0, missing: null, nextCheck: null };
  if (checks.every(({ ok }) => ok))
    return { status: 'success', verified: now, misses: 0, missing: null, nextCheck: after(now, DAILY_MS) };
  const misses = asked ? 1 : row.misses + 1;
  const missing = asked ? now : (row.missing ?? row.created);
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (misses - 1), LONGEST_PAUSE_MS);
  const isGivenUp = now.getTime() - missing.getTime() >= PATIENCE_MS;
  // A look that failed does not take back what an earlier one saw.
  const isPartial = checks.some(({ ok }) => ok) || (status === 'partial' && checks.some(({ failed }) => failed));
  return {
    status: isPartial ? 'partial' : 'pending',
    verified,
    misses,
    missing,
    nextCheck: isGivenUp ? null : after(now, pauseMs),
  };
}

function judgeProved(row: DomainState, checks: readonly DnsCheck[], now: Date, asked: boolean): DomainState {
  const { status, verified, misses, missing } = row;
  const nextCheck = after(now, DAILY_MS);
  if (checks.every(({ ok }) => ok)) return { status, verified, misses: 0, missing: null, nextCheck };
  const isMiss = checks.some(({ ok, failed }) => !ok && !failed);
  if (!isMiss) return { status, verified, misses, missing, nextCheck: after(now, RETRY_MS) };
  if (asked) return { status, verified, misses, missing, nextCheck: row.nextCheck ?? nextCheck };
  const since = missing ?? now;
  if (misses + 1 < MISSES_TO_LOSE || now.getTime() - since.getTime() < MISSING_TO_LOSE_MS)
    return { status, verified, misses: misses + 1, missing: since, nextCheck };
  if (status === 'paused') return { status, verified: null, misses: 0, missing: null, nextCheck: null };
  return {
    status: checks.some(({ ok }) => ok) ? 'partial' : 'pending',
    verified: null,
    misses: 1,
    missing: now,
    nextCheck: after(now, FIRST_PAUSE_MS),
  };
}

function after(now: Date, pauseMs: number): Date {
  return new Date(now.getTime() + pauseMs);
}
