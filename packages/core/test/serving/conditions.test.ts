import { describe, expect, it } from 'vitest';
import { judgeConditions } from '../../src/serving/conditions.ts';

const own = '"0123456789abcdef0123456789abcdef"';

describe('S45: conditions', () => {
  const rows: [ifMatch: string | undefined, ifNoneMatch: string | undefined, status: number][] = [
    [undefined, undefined, 200],
    [own, undefined, 200],
    ['*', undefined, 200],
    [' * ', undefined, 200],
    [`"a", ${own}`, undefined, 200],
    [`"a,b",${own},"c"`, undefined, 200],
    ['"a"', undefined, 412],
    [`W/${own}`, undefined, 412],
    ['', undefined, 412],
    [own.slice(1, -1), undefined, 412],
    [`"x${own.slice(1)}`, undefined, 412],
    [undefined, own, 304],
    [undefined, `W/${own}`, 304],
    [undefined, '*', 304],
    [undefined, `"a" , W/"b", W/${own}`, 304],
    [undefined, '"a"', 200],
    [undefined, '', 200],
    [undefined, own.slice(1, -1), 200],
    [undefined, `"${own.slice(1, -1)}-br"`, 200],
    [undefined, `w/${own}`, 200],
    [own, own, 304],
    ['"a"', own, 412],
    [own, '"a"', 200],
  ];
  it.each(rows)('If-Match %j and If-None-Match %j give %d', (ifMatch, ifNoneMatch, status) => {
    expect(judgeConditions({ ifMatch, ifNoneMatch }, own)).toBe(status);
  });

  it('answers 16 KiB of quotes at once', () => {
    const quotes = '"'.repeat(16_384);
    expect(judgeConditions({ ifMatch: quotes, ifNoneMatch: quotes }, own)).toBe(412);
  });
});
