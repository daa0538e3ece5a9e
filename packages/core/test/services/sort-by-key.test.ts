import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortByKey } from '../../src/services/sort-by-key.ts';

describe('the order of keys', () => {
  const low = fc.oneof(fc.constantFrom(0, 0xffffffff), fc.nat({ max: 0xffffffff }));
  const anyKeys = fc.array(fc.tuple(fc.constantFrom(0, 1, 0xffffffff), low));

  it('is ascending, and keeps the order of equal keys, if many keys have the same high half', () => {
    fc.assert(
      fc.property(anyKeys, (keys) => {
        const values = keys.map(([high, low]) => (BigInt(high) << 32n) | BigInt(low));
        const order = [...sortByKey(Uint32Array.from(keys.flat()))];
        // `toSorted` keeps the order of equal values.
        const positions = [...values.keys()];
        expect(order).toEqual(
          positions.toSorted((a, b) => (values[a]! < values[b]! ? -1 : Number(values[a]! > values[b]!))),
        );
      }),
    );
  });

  it('of 100,000 keys with one high half in descending order is found in a few steps for each', () => {
    const keys = new Uint32Array(200_000);
    for (let position = 0; position < 100_000; position += 1) keys[position * 2 + 1] = 100_000 - position;
    expect(sortByKey(keys)).toEqual(Uint32Array.from({ length: 100_000 }, (_, rank) => 99_999 - rank));
  });
});
