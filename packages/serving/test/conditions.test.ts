import { describe, expect, it } from 'vitest';
import { judgeConditions } from '../src/conditions.ts';
import { CONDITIONS } from './tables/conditions.ts';
import { expected } from './tables/public-cases.ts';

const ETAG = '"0123456789abcdef0123456789abcdef"';

describe('judgeConditions', () => {
  it.each(expected(CONDITIONS, 3))(
    'for a test case of %s with %s: %j and the tag %s, returns %d (S45)',
    (_, header, value, etag, status) => {
      const conditions = header === 'If-Match' ? { ifMatch: value } : { ifNoneMatch: value };
      expect(judgeConditions(conditions, etag)).toBe(status);
    },
  );

  it.each<[status: number, values: string[]]>([
    [200, [ETAG, '*', ' * ', `"a", ${ETAG}`, `"a,b",${ETAG},"c"`, `W/${ETAG}, ${ETAG}`, `${ETAG}, W/${ETAG}`]],
    [412, ['"a"', `W/${ETAG}`, '', ETAG.slice(1, -1), `"x${ETAG.slice(1)}`, '*, *']],
  ])('returns %d for If-Match with each of %j (S45)', (status, values) => {
    for (const ifMatch of values) expect(judgeConditions({ ifMatch }, ETAG), ifMatch).toBe(status);
  });

  it.each<[status: number, what: string, values: string[]]>([
    [304, 'the tag', [ETAG, `W/${ETAG}`, '*', `"a" , W/"b", W/${ETAG}`, `,, ,\t${ETAG},`, `${ETAG}, a`]],
    [304, 'the tag after unusual tags', [`"\\", ${ETAG}`, `"\xe9\xff", ${ETAG}`, `"", W/"", ${ETAG}`]],
    [200, 'another tag', ['"a"', '', ETAG.slice(1, -1), `"${ETAG.slice(1, -1)}-br"`, ETAG.toUpperCase()]],
    [200, 'an invalid list', [`${ETAG}${ETAG}`, `"a"${ETAG}`, `"a" ${ETAG}`, `a, ${ETAG}`, `"a, ${ETAG}`]],
    [200, 'an invalid tag', [`"a b", ${ETAG}`, `"\x7f", ${ETAG}`, `${ETAG};q=1`]],
    [200, 'an invalid prefix', [`w/${ETAG}`, `W/W/${ETAG}`, `W/ ${ETAG}`]],
    [200, 'an invalid star', [`*, ${ETAG}`, `*${ETAG}`, '**']],
  ])('returns %d for If-None-Match with %s, as in each of %j (S45)', (status, _, values) => {
    for (const ifNoneMatch of values) expect(judgeConditions({ ifNoneMatch }, ETAG), ifNoneMatch).toBe(status);
  });

  it.each([
    [undefined, undefined, 200],
    [ETAG, ETAG, 304],
    ['"a"', ETAG, 412],
    [ETAG, '"a"', 200],
    ['*', '*', 304],
    ['"a"', '*', 412],
  ])('returns for If-Match %j and If-None-Match %j the status %d (S45)', (ifMatch, ifNoneMatch, status) => {
    expect(judgeConditions({ ifMatch, ifNoneMatch }, ETAG)).toBe(status);
  });

  it('does not match the tags of two codings of a file (S45)', () => {
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
