import type { DnsCheck, Domain } from '../../entities/index.ts';

/** The fields of a domain that a check changes. */
export type DomainState = Pick<Domain, 'status' | 'verified' | 'misses' | 'missing' | 'nextCheck'>;
type CheckedDomain = DomainState & Pick<Domain, 'created'>;

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** The pause after the first check of an unverified domain. The pause doubles after each check. */
const MIN_PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 6 * HOUR_MS;
/** How long an unverified domain is checked after it was created, or after a person last requested a check. */
const MAX_UNVERIFIED_MS = 30 * DAY_MS;
/** How often a verified domain is checked. The next check of any domain is at most this far in the future. */
export const CHECK_INTERVAL_MS = DAY_MS;
/** The pause after a check of a verified domain that failed. */
const RETRY_MS = HOUR_MS;
/** A verified domain is lost after this many misses in a row. Source: security T28. */
const MISSES_TO_LOSE = 3;
/** A verified domain is lost when its records have been missing for this time. Source: security T28. */
const MISSING_TO_LOSE_MS = 7 * DAY_MS;

/**
 * Computes the state of a domain after a check. Pure.
 *
 * A verified domain is lost only after three misses in a row over 7 days. Checks that failed and checks that a person
 * requested are not counted. An unverified domain is checked after 1, 2, 4, … minutes, up to every 6 hours, for 30 days.
 * A paused domain stays paused.
 *
 * @param isManual True if a person requested the check, who has probably just changed the records.
 * Source: api §4; security T28.
 */
export function applyChecks(
  row: CheckedDomain,
  checks: readonly DnsCheck[],
  { now, isManual }: { now: Date; isManual: boolean },
): DomainState {
  const apply = row.verified === null ? applyToUnverified : applyToVerified;
  return apply(row, checks, now, isManual);
}

function applyToUnverified(row: CheckedDomain, checks: readonly DnsCheck[], now: Date, isManual: boolean): DomainState {
  const { status, verified } = row;
  if (status === 'paused') return { status, verified, misses: 0, missing: null, nextCheck: null };
  if (checks.every(({ ok }) => ok))
    return { status: 'success', verified: now, misses: 0, missing: null, nextCheck: addMs(now, CHECK_INTERVAL_MS) };
  const misses = isManual ? 1 : row.misses + 1;
  const missingSince = isManual ? now : (row.missing ?? row.created);
  const pauseMs = Math.min(MIN_PAUSE_MS * 2 ** (misses - 1), MAX_PAUSE_MS);
  const isGivenUp = now.getTime() - missingSince.getTime() >= MAX_UNVERIFIED_MS;
  // A failed check does not change a status that an earlier check has set.
  const isPartial = checks.some(({ ok }) => ok) || (status === 'partial' && checks.some(({ failed }) => failed));
  return {
    status: isPartial ? 'partial' : 'pending',
    verified,
    misses,
    missing: missingSince,
    nextCheck: isGivenUp ? null : addMs(now, pauseMs),
  };
}

function applyToVerified(row: DomainState, checks: readonly DnsCheck[], now: Date, isManual: boolean): DomainState {
  const { status, verified, misses, missing } = row;
  const nextCheck = addMs(now, CHECK_INTERVAL_MS);
  if (checks.every(({ ok }) => ok)) return { status, verified, misses: 0, missing: null, nextCheck };
  const isMiss = checks.some(({ ok, failed }) => !ok && !failed);
  if (!isMiss) return { status, verified, misses, missing, nextCheck: addMs(now, RETRY_MS) };
  if (isManual) return { status, verified, misses, missing, nextCheck: row.nextCheck ?? nextCheck };
  const missingSince = missing ?? now;
  if (misses + 1 < MISSES_TO_LOSE || now.getTime() - missingSince.getTime() < MISSING_TO_LOSE_MS)
    return { status, verified, misses: misses + 1, missing: missingSince, nextCheck };
  if (status === 'paused') return { status, verified: null, misses: 0, missing: null, nextCheck: null };
  return {
    status: checks.some(({ ok }) => ok) ? 'partial' : 'pending',
    verified: null,
    misses: 1,
    missing: now,
    nextCheck: addMs(now, MIN_PAUSE_MS),
  };
}

function addMs(now: Date, pauseMs: number): Date {
  return new Date(now.getTime() + pauseMs);
}
