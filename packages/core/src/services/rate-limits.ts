import { sql } from 'kysely';
import type { Core } from '../core.ts';
import { asUnavailable } from '../database/outages.ts';
import { ServiceError } from '../errors.ts';

/** What is limited. Source: contract §7. */
export const RATE_LIMIT_NAMES = ['global', 'deploy', 'anonymous', 'unlock', 'claim', 'signin'] as const;
export type RateLimitName = (typeof RATE_LIMIT_NAMES)[number];

/** A token bucket: it holds `count` tokens, and an empty one is full again after `perSeconds`. */
export interface RateLimit {
  count: number;
  perSeconds: number;
}

/** Every limit by its name. */
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** The limits when the operator names no others. Source: contract §7. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  global: { count: 600, perSeconds: 60 },
  deploy: { count: 60, perSeconds: 60 },
  anonymous: { count: 10, perSeconds: 3_600 },
  unlock: { count: 10, perSeconds: 600 },
  claim: { count: 30, perSeconds: 3_600 },
  signin: { count: 10, perSeconds: 600 },
};

/** What came of asking a bucket. */
export interface RateLimitState {
  allowed: boolean;
  /** Tokens in a full bucket. */
  limit: number;
  /** Tokens left. */
  remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  resetSeconds: number;
  /** Seconds until the tokens asked for are there, at least 1; until it is full, when it never holds so many. 0 when allowed. */
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
 * Takes `cost` tokens from the bucket of `who`, or none when there are not enough. The bucket is shared by all processes
 * and outlives them; whatever transaction the caller is in has no part in it.
 *
 * Without limits everything is allowed.
 *
 * @throws `unavailable` when the store is away. Source: contract §7; security T27.
 */
export async function takeFrom(core: Core, name: RateLimitName, who: string, cost = 1): Promise<RateLimitState> {
  return core.rateLimits ? takeFromBucket(core, keyOf(name, who), core.rateLimits[name], cost) : UNLIMITED;
}

/**
 * The same with a limit of the caller's own, which holds even where {@link Core.rateLimits} has none.
 *
 * @param key Names the bucket, and begins with no name of a limit.
 * @throws `unavailable` when the store is away.
 */
export async function takeFromBucket(core: Core, key: string, limit: RateLimit, cost = 1): Promise<RateLimitState> {
  const { token, capacity } = microsecondsOf(limit);
  const now = core.now();
  const micros = (amount: number) => sql`${amount} * interval '1 microsecond'`;
  const empty = sql`${now}::timestamptz + ${micros(capacity)}`;
  // No bucket is emptier than empty: one that a clock running ahead has filled in, or a larger limit, counts as that.
  const before = sql`least(greatest(b."full", ${now}), ${empty})`;
  const mayTake = sql`${before} + ${micros(cost * token)} <= ${empty}`;
  const fits = cost <= limit.count;
  const { rows } = await sql<{ taken: boolean; missing: number }>`
    insert into rate_bucket as b (key, "full", taken)
    values (${key}, ${now}::timestamptz + ${micros(fits ? cost * token : 0)}, ${fits})
    on conflict (key) do update set
      "full" = case when ${mayTake} then ${before} + ${micros(cost * token)} else ${before} end, taken = ${mayTake}
    returning taken, (extract(epoch from b."full" - ${now}::timestamptz) * 1000000)::float8 as missing`
    .execute(core.database.kysely)
    .catch(throwOutage);
  const { taken, missing } = rows[0]!;
  return stateOf(limit, taken, Math.max(0, Math.min(missing, capacity)), cost);
}

/** Takes tokens, or refuses. @throws `rate_limit_exceeded` with when to try again; `unavailable` when the store is away. */
export async function requireRoom(core: Core, name: RateLimitName, who: string, cost = 1): Promise<RateLimitState> {
  const state = await takeFrom(core, name, who, cost);
  if (!state.allowed) throw tooMany(state);
  return state;
}

/** The refusal that a state stands for. Source: contract §2. */
export function tooMany(state: RateLimitState): ServiceError {
  const { retryAfterSeconds } = state;
  const seconds = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new ServiceError('rate_limit_exceeded', `Too many requests: try again in ${seconds}.`, {
    retryAfterSeconds,
    rateLimit: state,
  });
}

/** Puts tokens back that {@link takeFrom} took. A bucket never holds more than its limit. @throws `unavailable`. */
export async function giveBack(core: Core, name: RateLimitName, who: string, cost = 1): Promise<void> {
  if (!core.rateLimits) return;
  const { token } = microsecondsOf(core.rateLimits[name]);
  await sql`
    update rate_bucket set "full" = "full" - ${cost * token} * interval '1 microsecond' where key = ${keyOf(name, who)}`
    .execute(core.database.kysely)
    .catch(throwOutage);
}

/** Removes buckets that are full: a missing one is full. */
export async function forgetFullBuckets(core: Core): Promise<void> {
  await sql`delete from rate_bucket where "full" <= ${core.now()}`.execute(core.database.kysely);
}

/** A token in time, rounded up, and a whole bucket of them: exactly `count` fit. */
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
  throw asUnavailable(error) ?? error;
}
