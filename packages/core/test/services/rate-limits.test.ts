import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useTestCore } from '@berth/testing/core';
import type { Database } from '../../src/database/database.ts';
import type { RateLimit } from '../../src/core.ts';
import { openDatabase } from '../../src/database/database.ts';
import { db } from '../../src/database/tables.ts';
import {
  DEFAULT_RATE_LIMITS,
  deleteFullBuckets,
  giveBackRateLimit,
  requireRateLimit,
  takeRateLimit,
  takeFromBucket,
} from '../../src/services/rate-limits.ts';

const test = await useTestCore({ rateLimits: DEFAULT_RATE_LIMITS });

const MINUTE_MS = 60_000;
/** Returns a core whose clock shows the given time. */
const coreAt = (ms: number) => ({ ...test.core, now: () => new Date(1_800_000_000_000 + ms) });

/** Takes single tokens until a token is refused. Returns how many were taken. */
async function drainBucket(key: string, limit: RateLimit, ms: number): Promise<number> {
  for (let takenTokens = 0; ; takenTokens += 1)
    if (!(await takeFromBucket(coreAt(ms), key, limit)).allowed) return takenTokens;
}

describe('api §7: a token bucket', () => {
  it('starts full and reports the remaining tokens and the time until it is full', async () => {
    const limit = { count: 3, perSeconds: 60 };
    const states = [];
    for (let call = 0; call < 4; call += 1) states.push(await takeFromBucket(coreAt(0), 'says', limit));
    expect(states).toEqual([
      { allowed: true, limit: 3, remaining: 2, resetSeconds: 20, retryAfterSeconds: 0 },
      { allowed: true, limit: 3, remaining: 1, resetSeconds: 40, retryAfterSeconds: 0 },
      { allowed: true, limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 0 },
      { allowed: false, limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 20 },
    ]);
  });

  it.each([
    [1, 1],
    [3, 1],
    [7, 60],
    [10, 600],
    [11, 3_600],
    [30, 7],
  ])(
    'for %i requests in %i s allows that many at once, and one more after each share of the time',
    async (count, perSeconds) => {
      const limit = { count, perSeconds };
      const key = `exact ${count}/${perSeconds}`;
      expect(await drainBucket(key, limit, 0)).toBe(count);
      const shareMs = Math.ceil((perSeconds * 1000) / count);
      expect(await drainBucket(key, limit, shareMs - 2)).toBe(0);
      expect(await drainBucket(key, limit, shareMs + 1)).toBe(1);
      expect(await drainBucket(key, limit, 2 * perSeconds * 1000 + shareMs + 2)).toBe(count);
    },
  );

  it('never gives more tokens than its size and its refill allow, at any time and for any cost', async () => {
    const limit = { count: 13, perSeconds: 7 };
    let ms = 0;
    let takenTokens = 0;
    for (let step = 1; step <= 150; step += 1) {
      ms += (step * 7919) % 400;
      const cost = 1 + ((step * 31) % 5);
      const { allowed, remaining } = await takeFromBucket(coreAt(ms), 'whenever', limit, cost);
      if (allowed) takenTokens += cost;
      expect(takenTokens).toBeLessThanOrEqual(13 + (ms / 7_000) * 13);
      expect(remaining).toBeGreaterThanOrEqual(0);
      expect(allowed || remaining < cost).toBe(true);
    }
    expect(takenTokens).toBeGreaterThan(0.95 * (ms / 7_000) * 13);
  });

  it('of size 10 gives exactly 10 tokens to 100 concurrent requests', async () => {
    const limit = { count: 10, perSeconds: 600 };
    const states = await Promise.all(Array.from({ length: 100 }, () => takeFromBucket(coreAt(0), 'at once', limit)));
    const allowed = states.filter((state) => state.allowed);
    expect(allowed.map(({ remaining }) => remaining).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const state of states) expect(state.retryAfterSeconds).toBe(state.allowed ? 0 : 60);
  });

  it('gives all requested tokens or none', async () => {
    const limit = { count: 5, perSeconds: 50 };
    expect(await takeFromBucket(coreAt(0), 'all', limit, 3)).toMatchObject({ allowed: true, remaining: 2 });
    const refusedState = { allowed: false, remaining: 2, retryAfterSeconds: 10 };
    expect(await takeFromBucket(coreAt(0), 'all', limit, 3)).toMatchObject(refusedState);
    expect(await takeFromBucket(coreAt(0), 'all', limit, 2)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('refuses a request for more tokens than its size, and reports the time until it is full', async () => {
    const limit = { count: 5, perSeconds: 50 };
    const refusedState = { allowed: false, remaining: 5, retryAfterSeconds: 1 };
    expect(await takeFromBucket(coreAt(0), 'too much', limit, 6)).toMatchObject(refusedState);
    await takeFromBucket(coreAt(0), 'too much', limit, 2);
    expect(await takeFromBucket(coreAt(0), 'too much', limit, 6)).toMatchObject({
      allowed: false,
      retryAfterSeconds: 20,
    });
  });

  it('refuses requests for no longer than its refill takes, even after a request with a clock that was ahead', async () => {
    const limit = { count: 2, perSeconds: 60 };
    expect(await drainBucket('ahead', limit, 24 * 60 * MINUTE_MS)).toBe(2);
    expect(await takeFromBucket(coreAt(0), 'ahead', limit)).toMatchObject({ allowed: false, retryAfterSeconds: 30 });
    expect(await takeFromBucket(coreAt(30_000), 'ahead', limit)).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('follows a limit that has changed', async () => {
    expect(await drainBucket('changed', { count: 2, perSeconds: 60 }, 0)).toBe(2);
    const state = await takeFromBucket(coreAt(0), 'changed', { count: 10, perSeconds: 10 });
    expect(state).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
  });
});

describe('api §7: the named limits', () => {
  const coreWith = (limits: object) => ({ ...coreAt(0), rateLimits: { ...DEFAULT_RATE_LIMITS, ...limits } });

  it('have a separate bucket for each name and client', async () => {
    const core = coreWith({ unlock: { count: 1, perSeconds: 600 } });
    expect((await takeRateLimit(core, 'unlock', 'one')).allowed).toBe(true);
    expect((await takeRateLimit(core, 'unlock', 'one')).allowed).toBe(false);
    expect((await takeRateLimit(core, 'unlock', 'two')).allowed).toBe(true);
    expect((await takeRateLimit(core, 'claim', 'one')).allowed).toBe(true);
  });

  it('refuse requests with the number of seconds to wait', async () => {
    const core = coreWith({ signin: { count: 1, perSeconds: 30 } });
    await requireRateLimit(core, 'signin', 'me');
    await expect(requireRateLimit(core, 'signin', 'me')).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      message: 'Too many requests: try again in 30 seconds.',
      retryAfterSeconds: 30,
    });
  });

  it('take returned tokens back, up to the size of the bucket', async () => {
    const core = coreWith({ deploy: { count: 2, perSeconds: 60 } });
    await takeRateLimit(core, 'deploy', 'back', 2);
    await giveBackRateLimit(core, 'deploy', 'back');
    expect(await takeRateLimit(core, 'deploy', 'back')).toMatchObject({ allowed: true, remaining: 0 });
    for (let call = 0; call < 9; call += 1) await giveBackRateLimit(core, 'deploy', 'back');
    expect(await takeRateLimit(core, 'deploy', 'back')).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('allow every request if they are switched off', async () => {
    const core = { ...coreAt(0), rateLimits: null };
    await giveBackRateLimit(core, 'signin', 'off');
    for (let call = 0; call < 50; call += 1)
      expect((await takeRateLimit(core, 'signin', 'off', 100)).allowed).toBe(true);
    expect(await test.database.query(`select 1 from rate_bucket where key = 'signin:off'`)).toEqual([]);
  });

  it('keep a taken token even if the transaction of the caller is rolled back', async () => {
    const core = coreWith({ claim: { count: 1, perSeconds: 60 } });
    await core.database
      .transaction(async () => {
        await takeRateLimit(core, 'claim', 'rolled back');
        throw new Error('no');
      })
      .catch(() => {});
    expect((await takeRateLimit(core, 'claim', 'rolled back')).allowed).toBe(false);
  });

  it('T27: refuse requests as unavailable if the database cannot be used', async () => {
    const database = openDatabase({ url: 'postgres://missing@127.0.0.1:1/nothing' });
    const coreInOutage = { ...test.core, database };
    await expect(takeRateLimit(coreInOutage, 'signin', 'me')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(giveBackRateLimit(coreInOutage, 'signin', 'me')).rejects.toMatchObject({ code: 'unavailable' });
    await database.close();
  });
});

it('deleteFullBuckets deletes the buckets that are full again, and no others', async () => {
  await takeFromBucket(coreAt(0), 'forgotten', { count: 2, perSeconds: 60 });
  await takeFromBucket(coreAt(0), 'kept', { count: 2, perSeconds: 62 });
  await deleteFullBuckets(coreAt(30_000));
  expect(await test.database.query(`select key from rate_bucket where key in ('forgotten', 'kept')`)).toEqual([
    { key: 'kept' },
  ]);
});

/** The updates that the session has made since its statistics were last collected, and those within a page. */
async function countUpdates(em: EntityManager): Promise<{ updates: number; hot: number }> {
  const { rows } = await sql<{ updates: number; hot: number }>`
    select n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
    from pg_stat_xact_user_tables where relname = 'rate_bucket'`.execute(db(em));
  return rows[0]!;
}

describe('scale B12: a request that takes a token', () => {
  it('changes the row in its page, without a new entry in any index', async () => {
    await takeFromBucket(test.core, 'hot', DEFAULT_RATE_LIMITS.global);
    const [before, after] = await test.core.database.transaction(async (em) => {
      const prepared: Database['prepared'] = async <Row extends object>(text: string, values: readonly unknown[]) =>
        (await db(em).executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
      const core = { ...test.core, database: { ...test.core.database, prepared } };
      const countsBefore = await countUpdates(em);
      for (let n = 0; n < 20; n += 1) await takeFromBucket(core, 'hot', DEFAULT_RATE_LIMITS.global);
      return [countsBefore, await countUpdates(em)];
    });
    expect(after.updates - before.updates).toBe(20);
    expect(after.hot - before.hot).toBe(20);
  });
});
