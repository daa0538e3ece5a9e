import { describe, expect, it } from 'vitest';
import { judgeConditions } from '../src/conditions.ts';
import { CONDITIONS } from './tables/conditions.ts';
import { expected } from './tables/public-cases.ts';

const ETAG = '"0123456789abcdef0123456789abcdef"';

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
    [ETAG, undefined, 200],
    ['*', undefined, 200],
    [' * ', undefined, 200],
    [`"a", ${ETAG}`, undefined, 200],
    [`"a,b",${ETAG},"c"`, undefined, 200],
    ['"a"', undefined, 412],
    [`W/${ETAG}`, undefined, 412],
    ['', undefined, 412],
    [ETAG.slice(1, -1), undefined, 412],
    [`"x${ETAG.slice(1)}`, undefined, 412],
    [undefined, ETAG, 304],
    [undefined, `W/${ETAG}`, 304],
    [undefined, '*', 304],
    [undefined, `"a" , W/"b", W/${ETAG}`, 304],
    [undefined, '"a"', 200],
    [undefined, '', 200],
    [undefined, ETAG.slice(1, -1), 200],
    [undefined, `"${ETAG.slice(1, -1)}-br"`, 200],
    [undefined, `w/${ETAG}`, 200],
    [ETAG, ETAG, 304],
    ['"a"', ETAG, 412],
    [ETAG, '"a"', 200],
    ['*', '*', 304],
    ['"a"', '*', 412],
    [undefined, `,, ,\t${ETAG},`, 304],
    [undefined, `${ETAG}${ETAG}`, 200],
    [undefined, `"a"${ETAG}`, 200],
    [undefined, `"a" ${ETAG}`, 200],
    [undefined, `a, ${ETAG}`, 200],
    [undefined, `${ETAG}, a`, 304],
    [undefined, `"a, ${ETAG}`, 200],
    [undefined, `"a b", ${ETAG}`, 200],
    [undefined, `"\\", ${ETAG}`, 304],
    [undefined, `"\xe9\xff", ${ETAG}`, 304],
    [undefined, `"\x7f", ${ETAG}`, 200],
    [undefined, `"", W/"", ${ETAG}`, 304],
    [undefined, `W/W/${ETAG}`, 200],
    [undefined, `W/ ${ETAG}`, 200],
    [undefined, `*, ${ETAG}`, 200],
    [undefined, `*${ETAG}`, 200],
    [undefined, `**`, 200],
    [undefined, `${ETAG};q=1`, 200],
    [undefined, ETAG.toUpperCase(), 200],
    [`W/${ETAG}, ${ETAG}`, undefined, 200],
    [`${ETAG}, W/${ETAG}`, undefined, 200],
    ['*, *', undefined, 412],
  ];
  it.each(rows)('returns for If-Match %j and If-None-Match %j the status %d (S45)', (ifMatch, ifNoneMatch, status) => {
    expect(judgeConditions({ ifMatch, ifNoneMatch }, ETAG)).toBe(status);
  });

  it('does not match the tag of one coding with that of another (S45)', () => {
    const br = `${ETAG.slice(0, -1)}-br"`;
    expect(judgeConditions({ ifNoneMatch: ETAG }, br)).toBe(200);
    expect(judgeConditions({ ifNoneMatch: br }, ETAG)).toBe(200);
    expect(judgeConditions({ ifNoneMatch: `${ETAG}, ${br}` }, br)).toBe(304);
    expect(judgeConditions({ ifMatch: ETAG }, br)).toBe(412);
  });

  it('evaluates headers of 16 KiB fast (S45)', () => {
    for (const part of ['"', '""', '"",', ',', ' ', ' ,', '"a" ', 'W/', 'W/"'])
      expect(judgeConditions({ ifMatch: part.repeat(16_384 / part.length) }, ETAG)).toBe(412);
  });
});
