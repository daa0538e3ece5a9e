import { describe, expect, it } from 'vitest';
import { judgeConditions } from '../src/conditions.ts';
import { CONDITIONS } from './tables/conditions.ts';
import { expected } from './tables/public-cases.ts';

const own = '"0123456789abcdef0123456789abcdef"';

describe('judgeConditions', () => {
  it.each(expected(CONDITIONS, 3))(
    '%s: returns for %s %j and the tag %s the status %d (S45)',
    (_, header, value, etag, status) => {
      const conditions = header === 'If-Match' ? { ifMatch: value } : { ifNoneMatch: value };
      expect(judgeConditions(conditions, etag)).toBe(status);
    },
  );

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
    ['*', '*', 304],
    ['"a"', '*', 412],
    [undefined, `,, ,\t${own},`, 304],
    [undefined, `${own}${own}`, 200],
    [undefined, `"a"${own}`, 200],
    [undefined, `"a" ${own}`, 200],
    [undefined, `a, ${own}`, 200],
    [undefined, `${own}, a`, 304],
    [undefined, `"a, ${own}`, 200],
    [undefined, `"a b", ${own}`, 200],
    [undefined, `"\\", ${own}`, 304],
    [undefined, `"\xe9\xff", ${own}`, 304],
    [undefined, `"\x7f", ${own}`, 200],
    [undefined, `"", W/"", ${own}`, 304],
    [undefined, `W/W/${own}`, 200],
    [undefined, `W/ ${own}`, 200],
    [undefined, `*, ${own}`, 200],
    [undefined, `*${own}`, 200],
    [undefined, `**`, 200],
    [undefined, `${own};q=1`, 200],
    [undefined, own.toUpperCase(), 200],
    [`W/${own}, ${own}`, undefined, 200],
    [`${own}, W/${own}`, undefined, 200],
    ['*, *', undefined, 412],
  ];
  it.each(rows)('returns for If-Match %j and If-None-Match %j the status %d (S45)', (ifMatch, ifNoneMatch, status) => {
    expect(judgeConditions({ ifMatch, ifNoneMatch }, own)).toBe(status);
  });

  it('does not match the tag of one coding with that of another (S45)', () => {
    const br = `${own.slice(0, -1)}-br"`;
    expect(judgeConditions({ ifNoneMatch: own }, br)).toBe(200);
    expect(judgeConditions({ ifNoneMatch: br }, own)).toBe(200);
    expect(judgeConditions({ ifNoneMatch: `${own}, ${br}` }, br)).toBe(304);
    expect(judgeConditions({ ifMatch: own }, br)).toBe(412);
  });

  it('evaluates headers of 16 KiB fast (S45)', () => {
    for (const part of ['"', '""', '"",', ',', ' ', ' ,', '"a" ', 'W/', 'W/"'])
      expect(judgeConditions({ ifMatch: part.repeat(16_384 / part.length) }, own)).toBe(412);
  });
});
