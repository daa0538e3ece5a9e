import type { PublicCases } from './public-cases.ts';

/** A result: `0-4` for a part, `0-4, 6-7` for several parts, `416`, or `whole`. */
type Answer = string;

const ONE_ONLY = 'a request for several ranges gets the whole content';
const ONE_UNREADABLE = 'one invalid range invalidates the header';
const NO_SPACE_INSIDE = 'the grammar has no space inside a range';
const BAD_SYNTAX = 'an invalid header is ignored, RFC 9110 §14.2';

/** Returns the rows of several ranges with one result. */
const rowsOf = (answer: Answer, size: number, ranges: string[]) =>
  ranges.map((range) => [range, size, answer] as const);

/** A `Range` header, and the size of the content. */
export const RANGES: readonly PublicCases<readonly [range: string, size: number], Answer>[] = [
  {
    origin: 'jshttp/range-parser test/range-parser.js at b49e00f, MIT; -2 is whole, -1 is 416',
    rows: [
      ...rowsOf('whole', 200, ['', 'bytes=100200', 'malformed', 'bytes=x-100', 'bytes=100-x', 'bytes=100--200']),
      ...rowsOf('whole', 200, ['bytes=-', 'bytes=', 'bytes= , , ', 'bytes=100-200-300', 'bytes=01a-150']),
      ...rowsOf('whole', 200, ['bytes=abc-def,ghi-jkl']),
      ['bytes=500-600', 200, '416'],
      ['bytes=500-600,601-700', 200, '416', 'whole', ONE_ONLY],
      ['bytes=500-20', 200, '416', 'whole', BAD_SYNTAX],
      ['bytes=500-999', 200, '416'],
      ['bytes=abc-def,500-999,xyz-uvw', 200, '416', 'whole', ONE_UNREADABLE],
      ['bytes=0-499', 1000, '0-499'],
      ['bytes=0-499', 200, '0-199'],
      ['bytes=40-80', 1000, '40-80'],
      ['bytes=-400', 1000, '600-999'],
      ['bytes=400-', 1000, '400-999'],
      ['bytes=0-', 1000, '0-999'],
      ['bytes=0-0', 1000, '0-0'],
      ['bytes=-1', 1000, '999-999'],
      ['bytes=100-200,x-', 1000, '100-200', 'whole', ONE_UNREADABLE],
      ['bytes=40-80,81-90,-1', 1000, '40-80, 81-90, 999-999', 'whole', ONE_ONLY],
      ['bytes=   40-80 , 81-90 , -1 ', 1000, '40-80, 81-90, 999-999', 'whole', ONE_ONLY],
      ['items=0-5', 1000, '0-5', 'whole', 'bytes is the only unit'],
      ['bytes= , 0-10', 1000, '0-10'],
      ['bytes=0-4,90-99,5-75,100-199,101-102', 150, '0-75, 90-149', 'whole', ONE_ONLY],
      ['bytes=-1,20-100,0-1,101-120', 150, '149-149, 20-120, 0-1', 'whole', ONE_ONLY],
    ],
  },
  {
    origin: 'golang/go src/net/http/range_test.go at 20c73c0, BSD-3-Clause; what it refuses is whole',
    rows: [
      ...rowsOf('whole', 0, ['', 'foo', 'bytes=']),
      ['bytes=1-', 0, 'whole', '416', 'no range of an empty content can be satisfied'],
      ...rowsOf('whole', 10, ['bytes= 7 ', 'bytes=--5,4--3', 'bytes=A-', 'bytes=A- ', 'bytes=A-Z', 'bytes= -Z']),
      ...rowsOf('whole', 10, ['bytes=5-Z', 'bytes=Ran-dom, garbage', 'bytes=0x01-0x02', 'bytes=15-,0-5']),
      ...rowsOf('whole', 10, ['bytes=         ', 'bytes= , , ,   ']),
      ['bytes=1-2,5-', 10, '1-2, 5-9', 'whole', ONE_ONLY],
      ['bytes=-2 , 7-', 11, '9-10, 7-10', 'whole', ONE_ONLY],
      ['bytes=0-0 ,2-2, 7-', 11, '0-0, 2-2, 7-10', 'whole', ONE_ONLY],
      ['bytes=0-0,-1', 10_000, '0-0, 9999-9999', 'whole', ONE_ONLY],
      ['bytes=500-600,601-999', 10_000, '500-600, 601-999', 'whole', ONE_ONLY],
      ['bytes=500-700,601-999', 10_000, '500-700, 601-999', 'whole', ONE_ONLY],
      ['bytes=   1 -2   ,  4- 5, 7 - 8 , ,,', 11, '1-2, 4-5, 7-8', 'whole', NO_SPACE_INSIDE],
    ],
  },
  {
    origin: 'golang/go src/net/http/fs_test.go at 061efaa, BSD-3-Clause',
    rows: [
      ['bytes=0-0,-2', 11, '0-0, 9-10', 'whole', ONE_ONLY],
      ['bytes=0-1,5-8', 11, '0-1, 5-8', 'whole', ONE_ONLY],
      ['bytes=0-1,5-', 11, '0-1, 5-10', 'whole', ONE_ONLY],
      ['bytes=0-,1-,2-,3-,4-', 11, 'whole'],
      ['bytes=11-', 11, '416'],
      ['bytes=0-128', 0, 'whole', '416', 'no range of an empty content can be satisfied'],
      ['bytes=1-', 0, 'whole', '416', 'no range of an empty content can be satisfied'],
      ['bytes=--6', 22, '416', 'whole', BAD_SYNTAX],
      ['bytes=--0', 22, '416', 'whole', BAD_SYNTAX],
      ['bytes=---0', 22, '416', 'whole', BAD_SYNTAX],
      ['bytes=-6-', 22, '416', 'whole', BAD_SYNTAX],
      ['bytes=-0', 22, 'empty', '416', 'a suffix of no bytes cannot be satisfied, RFC 9110 §14.1.2'],
    ],
  },
  {
    origin: 'pillarjs/send test/send.js at 092f3fc, MIT',
    rows: [
      ['asdf', 9, 'whole'],
      ['bytes=1-2,3-5', 9, '1-5', 'whole', ONE_ONLY],
    ],
  },
  {
    origin: 'lukeed/sirv tests/sirv.mjs at d061616, MIT',
    rows: [
      ['bytes=2', 116, '2-115', 'whole', 'a range has a dash'],
      ['bytes=0', 116, '0-115', 'whole', 'a range has a dash'],
    ],
  },
];

const DATES = 'dates are ignored, because they mean nothing after a switch back to an older deployment';

/** The tag of a content of 9 bytes, and the `If-Range` of a request with `Range: bytes=0-4`. */
export const IF_RANGES: readonly PublicCases<readonly [etag: string, ifRange: string], Answer>[] = [
  {
    origin: 'golang/go src/net/http/fs_test.go at 061efaa, BSD-3-Clause',
    rows: [
      ['"A"', '"A"', '0-4'],
      ['"A"', 'W/"A"', 'whole'],
      ['"A"', '"B"', 'whole'],
      ['"A"', 'Wed, 25 Jun 2014 17:12:18 GMT', '0-4', 'whole', DATES],
      ['"A"', 'Wed, 25 Jun 2014 17:12:19 GMT', 'whole'],
    ],
  },
  {
    origin: 'pillarjs/send test/send.js at 092f3fc, MIT; its tags are weak, ours strong',
    rows: [
      ['"9-15"', '"9-15"', '0-4'],
      ['"9-15"', '"09-15"', 'whole'],
      ['"9-15"', 'foo', 'whole'],
    ],
  },
];
