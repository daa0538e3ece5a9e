import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createLoadingCache } from '../../../src/services/sites/loading-cache.ts';

const cacheOf = (maxBytes = 1_000) =>
  createLoadingCache<{ size: number }>({ name: 'content', maxBytes, sizeOf: ({ size }) => size });
const value = (size = 1) => ({ size });

/** Loads a value twice, so that the cache keeps the value. */
async function keepInCache(cache: ReturnType<typeof cacheOf>, key: string, kept: { size: number }): Promise<void> {
  for (let n = 0; n < 2; n += 1) await cache.get(key, async () => kept);
}

/** Returns a load that finishes when the test resolves or rejects it. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<{ size: number } | null>();
  return { load: vi.fn(() => promise), resolve, reject };
}

describe('S2: a value that is loaded by its key', () => {
  it('is loaded once for concurrent requests', async () => {
    const cache = cacheOf();
    const { load, resolve } = pending();
    const parallelReads = Array.from({ length: 20 }, async () => cache.get('a', load));
    const loadedValue = value();
    resolve(loadedValue);
    for (const answer of await Promise.all(parallelReads)) expect(answer).toBe(loadedValue);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('is cached when it is loaded twice within 8,000 loads', async () => {
    const cache = cacheOf();
    const load = vi.fn(async () => value());
    await cache.get('a', load);
    expect(cache.peek('a')).toBeUndefined();
    const loadedValue = await cache.get('a', load);
    expect(cache.peek('a')).toBe(loadedValue);
    expect(cache.get('a', load)).toBe(loadedValue);
    expect(load).toHaveBeenCalledTimes(2);
    await cache.get('b', load);
    for (let n = 0; n < 16_000; n += 1) await cache.get(`other-${n}`, load);
    await cache.get('b', load);
    expect(cache.peek('b')).toBeUndefined();
  });

  it('is cached at once, without evicting other values, if it is larger than the whole cache', async () => {
    const cache = cacheOf(1_000);
    const smallValue = value();
    await keepInCache(cache, 'small', smallValue);
    const load = vi.fn(async () => value(1_001));
    const loadedValue = await cache.get('large', load);
    expect([cache.peek('large'), cache.peek('small')]).toEqual([loadedValue, smallValue]);
    expect(cache.get('large', load)).toBe(loadedValue);
    expect(load).toHaveBeenCalledTimes(1);
    await keepInCache(cache, 'other', value(900));
    expect(cache.peek('large')).toBe(loadedValue);
    // Only the last value of this size is kept, so that memory stays bounded.
    const nextValue = await cache.get('next', async () => value(5_000));
    expect([cache.peek('large'), cache.peek('next')]).toEqual([undefined, nextValue]);
  });

  it.each(['forget', 'clear'] as const)('is not cached after %s, even if it is very large', async (forget) => {
    const cache = cacheOf(1_000);
    await cache.get('large', async () => value(1_001));
    cache[forget]('large');
    expect(cache.peek('large')).toBeUndefined();
    const load = vi.fn(async () => value());
    await cache.reload('large', load);
    await cache.get('large', load);
    expect(cache.peek('large')).toEqual(value());
  });

  it.each(['forget', 'clear'] as const)('is not cached if %s is called during its load', async (forget) => {
    const cache = cacheOf();
    await cache.get('a', async () => value());
    const [before, after] = [pending(), pending()];
    const earlierRequest = cache.get('a', before.load);
    cache[forget]('a');
    const laterRequest = cache.get('a', after.load);
    const [old, fresh] = [value(), value()];
    after.resolve(fresh);
    expect(await laterRequest).toBe(fresh);
    before.resolve(old);
    expect(await earlierRequest).toBe(old);
    expect(cache.peek('a')).toBe(fresh);
  });

  it('stays cached if a reload fails', async () => {
    const cache = cacheOf();
    const cachedValue = value();
    await keepInCache(cache, 'a', cachedValue);
    const { load, reject } = pending();
    const reloadedValue = cache.reload('a', load);
    reject(new Error('away'));
    await expect(reloadedValue).rejects.toThrow('away');
    expect(cache.peek('a')).toBe(cachedValue);
  });

  it('is replaced by a reload, which concurrent requests wait for', async () => {
    const cache = cacheOf();
    await keepInCache(cache, 'a', value());
    const { load, resolve } = pending();
    const reloadedValue = cache.reload('a', load);
    const joinedLoad = cache.get('a', async () => expect.unreachable('it is being loaded'));
    const loadedValue = value();
    resolve(loadedValue);
    expect(await reloadedValue).toBe(loadedValue);
    expect(await joinedLoad).toBe(loadedValue);
    expect(cache.peek('a')).toBe(loadedValue);
  });

  it('is loaded again by the next request if its load failed for all concurrent requests', async () => {
    const cache = cacheOf();
    const { load, reject } = pending();
    const results = Promise.allSettled([cache.get('a', load), cache.get('a', load)]);
    reject(new Error('away'));
    for (const outcome of await results)
      expect(outcome).toMatchObject({ status: 'rejected', reason: new Error('away') });
    expect(await cache.get('a', async () => value(7))).toEqual(value(7));
  });

  it('is cached as absent, until its key is forgotten, if the load finds nothing', async () => {
    const cache = cacheOf();
    expect(await cache.get('a', async () => null)).toBeNull();
    expect(cache.peek('a')).toBeNull();
    expect(cache.get('a', async () => expect.unreachable('it is known'))).toBeNull();
    cache.forget('a');
    expect(cache.peek('a')).toBeUndefined();
  });

  it('is cached as absent only for a short time', async () => {
    const cache = createLoadingCache({ name: 'content', maxBytes: 1, sizeOf: () => 1, absentMs: 20 });
    const start = performance.now();
    await cache.get('a', async () => null);
    while (cache.peek('a') === null) await setImmediate();
    expect(performance.now() - start).toBeGreaterThan(15);
  });

  it('is evicted if it has no recent requests and the cache would exceed its memory', async () => {
    const cache = cacheOf(100);
    for (const key of ['a', 'b', 'c']) await keepInCache(cache, key, value(30));
    expect(cache.peek('a')).toEqual(value(30));
    await keepInCache(cache, 'd', value(30));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.peek(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('is not evicted by absent keys, and at most 10,000 absent keys are cached', async () => {
    const cache = cacheOf();
    await keepInCache(cache, 'a', value());
    for (let n = 0; n < 10_100; n += 1) await cache.get(`absent-${n}`, async () => null);
    expect(cache.peek('a')).toEqual(value());
    expect(cache.peek('absent-0')).toBeUndefined();
    expect(cache.peek('absent-10099')).toBeNull();
  });
});
