import { sql } from 'kysely';
import type { Core, RateLimit, RateLimitName, RateLimits } from '../core.ts';
import { db } from '../database/tables.ts';
import { toUnavailable } from '../database/outages.ts';
import { RateBucket } from '../entities/index.ts';
import { ServiceError } from '../errors.ts';

/** The limits if the operator does not configure any. Source: api §7. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  global: { count: 600, perSeconds: 60 },
  deploy: { count: 60, perSeconds: 60 },
  anonymous: { count: 10, perSeconds: 3_600 },
  unlock: { count: 10, perSeconds: 600 },
  claim: { count: 30, perSeconds: 3_600 },
  signin: { count: 10, perSeconds: 600 },
};

/** The names of the rate limits. */
export const RATE_LIMIT_NAMES = Object.keys(DEFAULT_RATE_LIMITS) as RateLimitName[];

/** The result of taking tokens from a bucket. */
export interface RateLimitState {
  allowed: boolean;
  /** The number of tokens in a full bucket. */
  limit: number;
  /** The number of tokens left. */
  remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  resetSeconds: number;
  /**
   * Seconds until the requested tokens are available, at least 1; until the bucket is full if it can never have that
   * many. 0 if allowed.
   */
  retryAfterSeconds: number;
}

const UNLIMITED: RateLimitState = {
  allowed: true,
  limit: Number.MAX_SAFE_INTEGER,
  remaining: Number.MAX_SAFE_INTEGER,
  resetSeconds: 0,
  retryAfterSeconds: 0,
};

/**
 * Takes `cost` tokens from the bucket of `who`, or none if there are not enough. All processes share the bucket, and it
 * survives restarts. The change is independent of any transaction of the caller.
 *
 * Without limits everything is allowed.
 *
 * @throws `unavailable` if the store cannot be used. Source: api §7; security T27.
 */
export async function takeRateLimit(core: Core, name: RateLimitName, who: string, cost = 1): Promise<RateLimitState> {
  return core.rateLimits ? takeFromBucket(core, keyOf(name, who), core.rateLimits[name], cost) : UNLIMITED;
}

/**
 * The same with a limit that the caller passes, which applies even if {@link Core.rateLimits} is null.
 *
 * @param key Names the bucket. Must not start with the name of a limit.
 * @throws `unavailable` if the store cannot be used.
 */
export async function takeFromBucket(core: Core, key: string, limit: RateLimit, cost = 1): Promise<RateLimitState> {
  const { token, capacity } = microsecondsOf(limit);
  const now = core.now();
  const micros = (amount: number) => sql`${amount} * interval '1 microsecond'`;
  const empty = sql`${now}::timestamptz + ${micros(capacity)}`;
  // No bucket is emptier than empty: limits the effect of a clock that ran ahead, and of a former limit that was
  // larger.
  const before = sql`least(greatest(b."full", ${now}), ${empty})`;
  const mayTake = sql`${before} + ${micros(cost * token)} <= ${empty}`;
  const fits = cost <= limit.count;
  const { rows } = await sql<{ taken: boolean; missing: number }>`
    insert into rate_bucket as b (key, "full", taken)
    values (${key}, ${now}::timestamptz + ${micros(fits ? cost * token : 0)}, ${fits})
    on conflict (key) do update set
      "full" = case when ${mayTake} then ${before} + ${micros(cost * token)} else ${before} end, taken = ${mayTake}
    returning taken, (extract(epoch from b."full" - ${now}::timestamptz) * 1000000)::float8 as missing`
    .execute(db(core))
    .catch(throwOutage);
  const { taken, missing } = rows[0]!;
  return stateOf(limit, taken, Math.max(0, Math.min(missing, capacity)), cost);
}

/**
 * Takes tokens, or throws. @throws `rate_limit_exceeded` with the time after which to retry; `unavailable` if the store
 * cannot be used.
 */
export async function requireRateLimit(
  core: Core,
  name: RateLimitName,
  who: string,
  cost = 1,
): Promise<RateLimitState> {
  const state = await takeRateLimit(core, name, who, cost);
  if (!state.allowed) throw rateLimitExceeded(state);
  return state;
}

/** The error for an exhausted bucket. Source: api §2. */
export function rateLimitExceeded(state: RateLimitState): ServiceError {
  const { retryAfterSeconds } = state;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ServiceError('rate_limit_exceeded', `Too many requests: try again in ${seconds}.`, {
    retryAfterSeconds,
    rateLimit: state,
  });
}

/** Returns tokens that {@link takeRateLimit} took. A bucket never has more tokens than its limit. @throws `unavailable`. */
export async function giveBackRateLimit(core: Core, name: RateLimitName, who: string, cost = 1): Promise<void> {
  if (!core.rateLimits) return;
  const { token } = microsecondsOf(core.rateLimits[name]);
  await sql`
    update rate_bucket set "full" = "full" - ${cost * token} * interval '1 microsecond' where key = ${keyOf(name, who)}`
    .execute(db(core))
    .catch(throwOutage);
}

/** Deletes full buckets: a missing bucket counts as full. */
export async function deleteFullBuckets(core: Core): Promise<void> {
  await core.database.em().nativeDelete(RateBucket, { full: { $lte: core.now() } });
}

/** The time that one token takes, rounded up, and the time of a full bucket, so that exactly `count` tokens fit. */
function microsecondsOf({ count, perSeconds }: RateLimit): { token: number; capacity: number } {
  const token = Math.ceil((perSeconds * 1_000_000) / count);
  return { token, capacity: token * count };
}

function stateOf(limit: RateLimit, allowed: boolean, missing: number, cost: number): RateLimitState {
  const { token, capacity } = microsecondsOf(limit);
  const wanted = Math.min(cost, limit.count) * token;
  return {
    allowed,
    limit: limit.count,
    remaining: Math.floor((capacity - missing) / token),
    resetSeconds: Math.ceil(missing / 1_000_000),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((missing + wanted - capacity) / 1_000_000)),
  };
}

function keyOf(name: RateLimitName, who: string): string {
  return `${name}:${who}`;
}

function throwOutage(error: unknown): never {
  throw toUnavailable(error) ?? error;
}
