import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSieve } from '../../../src/services/sites/sieve.ts';

const sieve = (maxBytes: number) => createSieve<number>(maxBytes, (size) => size);
const keptOf = (cache: ReturnType<typeof sieve>, ...keys: string[]) =>
  keys.filter((key) => cache.get(key) !== undefined).join('');

describe('a full cache', () => {
  it('spares an entry once after it was requested', () => {
    const cache = sieve(2);
    cache.set('a', 1);
    cache.set('b', 1);
    cache.get('a');
    cache.get('b');
    cache.set('c', 1);
    expect(keptOf(cache, 'b', 'c')).toBe('bc');
    expect(cache.get('a')).toBeUndefined();
  });

  it('is not emptied by a scan of keys that are requested once', () => {
    const cache = sieve(10);
    for (let n = 0; n < 5; n += 1) cache.set(`hot-${n}`, 1);
    for (let n = 0; n < 1_000; n += 1) {
      for (let hot = 0; hot < 5; hot += 1) cache.get(`hot-${hot}`);
      cache.set(`once-${n}`, 1);
    }
    expect(keptOf(cache, ...Array.from({ length: 5 }, (_, n) => `hot-${n}`))).toBe('hot-0hot-1hot-2hot-3hot-4');
  });

  it('does not keep a value that is larger than the cache, and drops the former value of its key', () => {
    const cache = sieve(5);
    cache.set('a', 5);
    cache.set('a', 6);
    expect(cache.get('a')).toBeUndefined();
  });
});

it('contains the last value that was set, or nothing, and never exceeds its size', () => {
  const key = fc.constantFrom(...'abcdefgh');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key, size: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ kind: fc.constantFrom('get' as const, 'delete' as const), key }),
    fc.record({ kind: fc.constant('clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = sieve(10);
      const last = new Map<string, number>();
      for (const each of steps) {
        if (each.kind === 'set') {
          cache.set(each.key, each.size);
          last.set(each.key, each.size);
          expect(cache.get(each.key)).toBe(each.size);
        } else if (each.kind === 'clear') {
          cache.clear();
          last.clear();
        } else if (each.kind === 'delete') {
          cache.delete(each.key);
          last.delete(each.key);
        } else expect([undefined, last.get(each.key)]).toContain(cache.get(each.key));
      }
      const cachedSizes = [...'abcdefgh'].map((each) => cache.get(each)).filter((size) => size !== undefined);
      expect(cachedSizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(10);
    }),
    { numRuns: 500 },
  );
});
