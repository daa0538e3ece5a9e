import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSieve } from '../../../src/services/sites/sieve.ts';

const sieve = (maxBytes: number) => createSieve<number>(maxBytes, (size) => size);
const keptOf = (cache: ReturnType<typeof sieve>, ...keys: string[]) =>
  keys.filter((key) => cache.get(key) !== undefined).join('');

describe('a full SIEVE cache', () => {
  it('evicts a requested entry only when the hand passes it for the second time', () => {
    const cache = sieve(2);
    cache.set('a', 1);
    cache.set('b', 1);
    cache.get('a');
    cache.get('b');
    cache.set('c', 1);
    expect(keptOf(cache, 'b', 'c')).toBe('bc');
    expect(cache.get('a')).toBeUndefined();
  });

  it('keeps frequently requested keys during a scan of keys that are requested once', () => {
    const cache = sieve(10);
    for (let n = 0; n < 5; n += 1) cache.set(`hot-${n}`, 1);
    for (let n = 0; n < 1_000; n += 1) {
      for (let hot = 0; hot < 5; hot += 1) cache.get(`hot-${hot}`);
      cache.set(`once-${n}`, 1);
    }
    expect(keptOf(cache, ...Array.from({ length: 5 }, (_, n) => `hot-${n}`))).toBe('hot-0hot-1hot-2hot-3hot-4');
  });

  it('does not keep a value that is larger than the cache, and drops the previous value of the key', () => {
    const cache = sieve(5);
    cache.set('a', 5);
    cache.set('a', 6);
    expect(cache.get('a')).toBeUndefined();
  });
});

it('a SIEVE cache returns the last value of a key or nothing, and never exceeds its size', () => {
  const key = fc.constantFrom(...'abcdefgh');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key, size: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key }),
    fc.record({ kind: fc.constant('clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = sieve(10);
      const lastValues = new Map<string, number>();
      for (const cacheStep of steps) {
        if (cacheStep.kind === 'set') {
          cache.set(cacheStep.key, cacheStep.size);
          lastValues.set(cacheStep.key, cacheStep.size);
          expect(cache.get(cacheStep.key)).toBe(cacheStep.size);
        } else if (cacheStep.kind === 'clear') {
          cache.clear();
          lastValues.clear();
        } else if (cacheStep.kind === 'delete') {
          cache.delete(cacheStep.key);
          lastValues.delete(cacheStep.key);
        } else expect([undefined, lastValues.get(cacheStep.key)]).toContain(cache.get(cacheStep.key));
      }
      const cachedSizes = [...'abcdefgh'].map((each) => cache.get(each)).filter((size) => size !== undefined);
      expect(cachedSizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10);
    }),
    { numRuns: 500 },
  );
});
