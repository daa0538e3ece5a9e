import { sql } from 'kysely';
import type { Core, RateLimit, RateLimitName, RateLimits } from '../core.ts';
import { db } from '../database/tables.ts';
import { toUnavailable } from '../database/outages.ts';
import { ServiceError } from '../errors.ts';
import { rateLimited } from '../metrics.ts';

/** The rate limits if the operator does not configure any. Source: api §7. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  global: { count: 600, perSeconds: 60 },
  deploy: { count: 60, perSeconds: 60 },
  anonymous: { count: 10, perSeconds: 3_600 },
  unlock: { count: 10, perSeconds: 600 },
  claim: { count: 30, perSeconds: 3_600 },
  signin: { count: 10, perSeconds: 600 },
};

export const RATE_LIMIT_NAMES = Object.keys(DEFAULT_RATE_LIMITS) as RateLimitName[];

/** The result of taking tokens from a bucket. */
export interface RateLimitState {
  allowed: boolean;
  /** The number of tokens in a full bucket. */
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  resetSeconds: number;
  /** 0 if the request is allowed; otherwise the seconds until the bucket has enough tokens or is full, at least 1. */
  retryAfterSeconds: number;
}

const UNLIMITED_STATE: RateLimitState = {
  allowed: true,
  limit: Number.MAX_SAFE_INTEGER,
  remaining: Number.MAX_SAFE_INTEGER,
  resetSeconds: 0,
  retryAfterSeconds: 0,
};

/**
 * Takes `cost` tokens from the bucket of a client, or none if there are not enough. All processes share the bucket, and
 * it survives restarts. The change is independent of any transaction of the caller. If the limits are off, every
 * request is allowed.
 *
 * @throws `unavailable` if the database cannot be used. Source: api §7; security T27.
 */
export async function takeRateLimit(core: Core, name: RateLimitName, who: string, cost = 1): Promise<RateLimitState> {
  if (!core.rateLimits) return UNLIMITED_STATE;
  return countRefusal(name, await takeFromBucket(core, bucketKey(name, who), core.rateLimits[name], cost));
}

/** The key of the bucket of a client under a named limit. */
export const bucketKey = (name: RateLimitName, who: string): string => `${name}:${who}`;

/** Counts a refusal in the metrics, if the state is one. */
export function countRefusal(name: RateLimitName, state: RateLimitState): RateLimitState {
  if (!state.allowed) rateLimited[name].value += 1;
  return state;
}

/**
 * Like {@link takeRateLimit}, but with a limit of the caller, which applies even if the limits are off.
 *
 * @param key Names the bucket. Must not start with the name of a limit.
 * @throws `unavailable` if the database cannot be used.
 */
export async function takeFromBucket(core: Core, key: string, limit: RateLimit, cost = 1): Promise<RateLimitState> {
  const values = [core.now().toISOString(), ...bucketValues(limit, cost), key];
  const [row] = await core.database.prepared<BucketRow>(TAKE_FROM_BUCKET, values).catch(throwOutage);
  return stateOf(row!, limit, cost);
}

/** What {@link takeTokens} returns. */
export interface BucketRow {
  taken: boolean;
  /** The microseconds until the bucket is full. */
  untilFull: number;
}

/** The values of the parameters `tokens` and `capacity` of {@link takeTokens}. */
export function bucketValues(limit: RateLimit, cost: number): [tokens: number, capacity: number] {
  const { token, capacity } = microsecondsOf(limit);
  return [cost * token, capacity];
}

/**
 * Returns a statement that takes tokens from a bucket, or none if there are not enough. It returns a {@link BucketRow}. The bucket
 * stores when it will be full: each token is the time in which it is refilled.
 *
 * @param sqlOf The expressions of the key, of the time, and of the tokens and the capacity in microseconds. No row is returned if
 *   the key is null.
 */
export function takeTokens(sqlOf: Record<'key' | 'now' | 'tokens' | 'capacity', string>): string {
  const now = `${sqlOf.now}::timestamptz`;
  const tokens = `${sqlOf.tokens}::float8 * interval '1 microsecond'`;
  const emptyBucket = `${now} + ${sqlOf.capacity}::float8 * interval '1 microsecond'`;
  const fits = `${sqlOf.tokens}::float8 <= ${sqlOf.capacity}::float8`;
  // A wrong clock or a former, larger limit may have stored a later time than an empty bucket has.
  const before = `least(greatest(b."full", ${now}), ${emptyBucket})`;
  const mayTake = `${before} + ${tokens} <= ${emptyBucket}`;
  return `
    insert into rate_bucket as b (key, "full", taken)
    select key, case when ${fits} then ${now} + ${tokens} else ${now} end, ${fits}
    from (select ${sqlOf.key} as key) bucket where key is not null
    on conflict (key) do update set
      "full" = case when ${mayTake} then ${before} + ${tokens} else ${before} end, taken = ${mayTake}
    returning b.taken, (extract(epoch from b."full" - ${now}) * 1000000)::float8 as "untilFull"`;
}

const TAKE_FROM_BUCKET = takeTokens({ now: '$1', tokens: '$2', capacity: '$3', key: '$4::text' });

/** Returns the state of a bucket after {@link takeTokens}. */
export function stateOf({ taken, untilFull }: BucketRow, limit: RateLimit, cost: number): RateLimitState {
  const { token, capacity } = microsecondsOf(limit);
  const missing = Math.max(0, Math.min(untilFull, capacity));
  const wantedMicros = Math.min(cost, limit.count) * token;
  return {
    allowed: taken,
    limit: limit.count,
    remaining: Math.floor((capacity - missing) / token),
    resetSeconds: Math.ceil(missing / 1_000_000),
    retryAfterSeconds: taken ? 0 : Math.max(1, Math.ceil((missing + wantedMicros - capacity) / 1_000_000)),
  };
}

/** Takes a token. @throws `rate_limit_exceeded`, with the time to wait; `unavailable` if the database cannot be used. */
export async function requireRateLimit(core: Core, name: RateLimitName, who: string): Promise<RateLimitState> {
  const state = await takeRateLimit(core, name, who);
  if (!state.allowed) throw rateLimitExceeded(state);
  return state;
}

/** The error for a client whose bucket is empty. Source: api §2. */
export function rateLimitExceeded(state: RateLimitState): ServiceError {
  const { retryAfterSeconds } = state;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ServiceError('rate_limit_exceeded', `Too many requests: try again in ${seconds}.`, {
    retryAfterSeconds,
    rateLimit: state,
  });
}

/** Puts a token back, unless the bucket is full. @throws `unavailable` if the database cannot be used. */
export async function giveBackRateLimit(core: Core, name: RateLimitName, who: string): Promise<void> {
  if (!core.rateLimits) return;
  const key = bucketKey(name, who);
  const { token } = microsecondsOf(core.rateLimits[name]);
  await sql`update rate_bucket set "full" = "full" - ${token} * interval '1 microsecond' where key = ${key}`
    .execute(db(core))
    .catch(throwOutage);
}

/** Deletes the rows of full buckets, because a bucket without a row counts as full. */
export async function deleteFullBuckets(core: Core): Promise<void> {
  await db(core).deleteFrom('rate_bucket').where('full', '<=', core.now()).execute();
}

/** Converts a limit to the time for one token and for a full bucket. The rounding lets exactly `count` tokens fit. */
function microsecondsOf({ count, perSeconds }: RateLimit): { token: number; capacity: number } {
  const token = Math.ceil((perSeconds * 1_000_000) / count);
  return { token, capacity: token * count };
}

function throwOutage(error: unknown): never {
  throw toUnavailable(error) ?? error;
}
