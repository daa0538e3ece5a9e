import { describe, expect, it } from 'vitest';
import { PageQuery } from '../src/pages.ts';

describe('api §1: the limit of a page', () => {
  it.each([
    [undefined, 50],
    [1, 1],
    [50, 50],
    [100, 100],
    [101, 100],
    [1_000_000, 100],
    [Number.MAX_SAFE_INTEGER, 100],
  ])('that is sent as %s is read as %s', (limit, taken) => {
    expect(PageQuery.parse({ limit }).limit).toBe(taken);
  });

  it.each([0, -1, 1.5, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '10', '', null, { $gt: 0 }, [[10]], true])(
    'that is sent as %j is refused',
    (limit) => {
      const message = 'limit must be a whole number of at least 1';
      expect(PageQuery.safeParse({ limit }).error?.issues[0]).toMatchObject({ path: ['limit'], message });
    },
  );
});

describe('api §1: the cursor of a page', () => {
  it.each([[''], ['a'.repeat(513)], [1], [null], [{}], [['a']]])('that is sent as %j is refused', (cursor) => {
    expect(PageQuery.safeParse({ cursor }).success).toBe(false);
  });

  it('can be any text, and unknown parameters beside it are ignored', () => {
    expect(PageQuery.parse({ cursor: 'anything', order: 'asc', ['__proto__']: 1 })).toEqual({
      cursor: 'anything',
      limit: 50,
    });
  });
});
