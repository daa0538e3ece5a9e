import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createLoadingCache } from '../../../src/services/sites/loading-cache.ts';

const cacheOf = (maxBytes = 1_000) => createLoadingCache<{ size: number }>({ maxBytes, sizeOf: ({ size }) => size });
const value = (size = 1) => ({ size });

/** Has a value kept: it is loaded twice. */
async function keep(cache: ReturnType<typeof cacheOf>, key: string, kept: { size: number }): Promise<void> {
  for (let n = 0; n < 2; n += 1) await cache.get(key, async () => kept);
}

/** A load that ends when the test says so. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<{ size: number } | null>();
  return { load: vi.fn(() => promise), resolve, reject };
}

describe('S2: what is loaded by a key', () => {
  it('is loaded once, however many ask for it at once', async () => {
    const cache = cacheOf();
    const { load, resolve } = pending();
    const asked = Array.from({ length: 20 }, () => cache.get('a', load));
    const found = value();
    resolve(found);
    for (const answer of await Promise.all(asked)) expect(answer).toBe(found);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('is kept when it is loaded for the second time within the last 8,000 loads', async () => {
    const cache = cacheOf();
    const load = vi.fn(async () => value());
    await cache.get('a', load);
    expect(cache.peek('a')).toBeUndefined();
    const found = await cache.get('a', load);
    expect(cache.peek('a')).toBe(found);
    expect(cache.get('a', load)).toBe(found);
    expect(load).toHaveBeenCalledTimes(2);
    await cache.get('b', load);
    for (let n = 0; n < 16_000; n += 1) await cache.get(`other-${n}`, load);
    await cache.get('b', load);
    expect(cache.peek('b')).toBeUndefined();
  });

  it('is kept at once when it is larger than all values may be, and pushes nothing else out', async () => {
    const cache = cacheOf(1_000);
    const small = value();
    await keep(cache, 'small', small);
    const load = vi.fn(async () => value(1_001));
    const found = await cache.get('large', load);
    expect([cache.peek('large'), cache.peek('small')]).toEqual([found, small]);
    expect(cache.get('large', load)).toBe(found);
    expect(load).toHaveBeenCalledTimes(1);
    await keep(cache, 'other', value(900));
    expect(cache.peek('large')).toBe(found);
  });

  it('is kept until the next one that is larger than all values may be, so that memory stays bounded', async () => {
    const cache = cacheOf(1_000);
    await cache.get('first', async () => value(1_001));
    const second = await cache.get('second', async () => value(5_000));
    expect([cache.peek('first'), cache.peek('second')]).toEqual([undefined, second]);
  });

  it.each(['forget', 'clear'] as const)('is not kept after %s, however large it is', async (forget) => {
    const cache = cacheOf(1_000);
    await cache.get('large', async () => value(1_001));
    cache[forget]('large');
    expect(cache.peek('large')).toBeUndefined();
    const load = vi.fn(async () => value());
    await cache.reload('large', load);
    await cache.get('large', load);
    expect(cache.peek('large')).toEqual(value());
  });

  it('is not kept when it is forgotten while it is loaded, though who asked before is answered', async () => {
    for (const forget of ['forget', 'clear'] as const) {
      const cache = cacheOf();
      await cache.get('a', async () => value());
      const [before, after] = [pending(), pending()];
      const early = cache.get('a', before.load);
      cache[forget]('a');
      const late = cache.get('a', after.load);
      const [old, fresh] = [value(), value()];
      after.resolve(fresh);
      expect(await late).toBe(fresh);
      before.resolve(old);
      expect(await early).toBe(old);
      expect(cache.peek('a')).toBe(fresh);
    }
  });

  it('stays kept when it is reloaded and the load fails', async () => {
    const cache = cacheOf();
    const kept = value();
    await keep(cache, 'a', kept);
    const { load, reject } = pending();
    const fresh = cache.reload('a', load);
    reject(new Error('away'));
    await expect(fresh).rejects.toThrow('away');
    expect(cache.peek('a')).toBe(kept);
  });

  it('is loaded anew by whoever wants it fresh, and then for everybody', async () => {
    const cache = cacheOf();
    await keep(cache, 'a', value());
    const { load, resolve } = pending();
    const fresh = cache.reload('a', load);
    const joined = cache.get('a', async () => expect.unreachable('it is being loaded'));
    const found = value();
    resolve(found);
    expect(await fresh).toBe(found);
    expect(await joined).toBe(found);
    expect(cache.peek('a')).toBe(found);
  });

  it('that fails is an error for all who wait, and is tried again by the next one', async () => {
    const cache = cacheOf();
    const { load, reject } = pending();
    const asked = Promise.allSettled([cache.get('a', load), cache.get('a', load)]);
    reject(new Error('away'));
    for (const outcome of await asked) expect(outcome).toMatchObject({ status: 'rejected', reason: new Error('away') });
    expect(await cache.get('a', async () => value(7))).toEqual(value(7));
  });

  it('is kept also when there is nothing, until it is forgotten', async () => {
    const cache = cacheOf();
    expect(await cache.get('a', async () => null)).toBeNull();
    expect(cache.peek('a')).toBeNull();
    expect(cache.get('a', async () => expect.unreachable('it is known'))).toBeNull();
    cache.forget('a');
    expect(cache.peek('a')).toBeUndefined();
  });

  it('that there is nothing is soon forgotten', async () => {
    const cache = createLoadingCache({ maxBytes: 1, sizeOf: () => 1, absentMs: 20 });
    const start = performance.now();
    await cache.get('a', async () => null);
    while (cache.peek('a') === null) await setImmediate();
    expect(performance.now() - start).toBeGreaterThan(15);
  });

  it('takes no more memory than it may: what was not asked for goes first', async () => {
    const cache = cacheOf(100);
    for (const key of ['a', 'b', 'c']) await keep(cache, key, value(30));
    expect(cache.peek('a')).toEqual(value(30));
    await keep(cache, 'd', value(30));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.peek(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('never keeps more than 10,000 keys at which there is nothing, nor drops a value for them', async () => {
    const cache = cacheOf();
    await keep(cache, 'a', value());
    for (let n = 0; n < 10_100; n += 1) await cache.get(`absent-${n}`, async () => null);
    expect(cache.peek('a')).toEqual(value());
    expect(cache.peek('absent-0')).toBeUndefined();
    expect(cache.peek('absent-10099')).toBeNull();
  });
});
