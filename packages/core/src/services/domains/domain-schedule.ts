import type { DnsCheck, Domain } from '../../entities/index.ts';

/** The fields that a check changes. */
export type DomainState = Pick<Domain, 'status' | 'verified' | 'misses' | 'missing' | 'nextCheck'>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * The pauses between the checks of an unverified domain: the first one, which doubles after each check up to the
 * longest.
 */
const MIN_PAUSE_MS = MINUTE_MS;
const MAX_PAUSE_MS = 6 * HOUR_MS;
/** How long an unverified domain is checked after it was created, or after a person last requested a check. */
const PATIENCE_MS = 30 * DAY_MS;
/** How often a serving domain is checked. Sooner after a check without an answer. */
const DAILY_MS = DAY_MS;
const RETRY_MS = HOUR_MS;
/** The maximum time until a next check. */
export const MAX_SCHEDULE_MS = DAILY_MS;
/** A serving domain is lost after this many definite misses in a row, over this time. Source: security T28. */
const MISSES_TO_LOSE = 3;
const MISSING_TO_LOSE_MS = 7 * DAY_MS;

/**
 * Computes the state of a domain after a check. Pure.
 *
 * A proved domain is lost only after three definite misses in a row over 7 days. A check that failed or got no answer
 * does not count, and neither does a check that a person requested. An unverified domain is checked after 1, 2, 4, …
 * minutes, up to every 6 hours, for 30 days. A paused domain stays paused.
 *
 * @param asked True if a person requested the check, who has probably just changed the records.
 * Source: api §4; security T28.
 */
export function applyChecks(
  row: DomainState & Pick<Domain, 'created'>,
  checks: readonly DnsCheck[],
  { now, asked }: { now: Date; asked: boolean },
): DomainState {
  return row.verified === null ? applyToUnverified(row, checks, now, asked) : applyToVerified(row, checks, now, asked);
}

function applyToUnverified(
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
  const pauseMs = Math.min(MIN_PAUSE_MS * 2 ** (misses - 1), MAX_PAUSE_MS);
  const isGivenUp = now.getTime() - missing.getTime() >= PATIENCE_MS;
  // A failed check does not undo what an earlier check found.
  const isPartial = checks.some(({ ok }) => ok) || (status === 'partial' && checks.some(({ failed }) => failed));
  return {
    status: isPartial ? 'partial' : 'pending',
    verified,
    misses,
    missing,
    nextCheck: isGivenUp ? null : after(now, pauseMs),
  };
}

function applyToVerified(row: DomainState, checks: readonly DnsCheck[], now: Date, asked: boolean): DomainState {
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
    nextCheck: after(now, MIN_PAUSE_MS),
  };
}

function after(now: Date, pauseMs: number): Date {
  return new Date(now.getTime() + pauseMs);
}
