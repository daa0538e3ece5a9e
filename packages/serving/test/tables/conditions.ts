import type { PublicCases } from './public-cases.ts';

type Header = 'If-Match' | 'If-None-Match';
type Status = 200 | 304 | 412;

/** Returns the rows of several values with one result. */
const rowsOf = (header: Header, etag: string, status: Status, values: string[]) =>
  values.map((value) => [header, value, etag, status] as const);

/** The name and the value of the header, and the strong tag of the response. */
export const CONDITIONS: readonly PublicCases<readonly [header: Header, value: string, etag: string], Status>[] = [
  {
    origin: 'jshttp/fresh test/fresh.js at ee73673, MIT; fresh is 304, stale is 200, its weak tags left out',
    rows: [
      ...rowsOf('If-None-Match', '"foo"', 304, ['"foo"', ' "bar" , "foo"', '"bar",\t"foo"', 'W/"foo"', '*']),
      ['If-None-Match', '"foo"', '"bar"', 200],
      ['If-None-Match', '*, "bar"', '"foo"', 200],
    ],
  },
  {
    origin: 'golang/go src/net/http/fs_test.go at 061efaa, BSD-3-Clause',
    rows: [
      ...rowsOf('If-None-Match', '"foo"', 304, ['"foo"', '"baz", W/"foo"']),
      ...rowsOf('If-None-Match', '"foo"', 200, ['"Foo"', ',']),
      ...rowsOf('If-Match', '"A"', 200, ['"Z", "A"', '*']),
      ...rowsOf('If-Match', '"A"', 412, ['"B"', 'W/"A"']),
      // The values that the suite accepts as an entity tag, and the values that it rejects.
      ...rowsOf('If-None-Match', '"etag-1"', 304, ['W/"etag-1"', '"etag-1", "etag-2"']),
      ...rowsOf('If-None-Match', '""', 200, ['', 'W/']),
      ['If-None-Match', '"etag-2"', '"etag-2"', 304],
      ['If-None-Match', 'W/"truc', '"truc"', 200],
      ['If-None-Match', 'w/"case-sensitive"', '"case-sensitive"', 200],
      ['If-None-Match', '"spaced etag"', '"etag"', 200],
    ],
  },
  {
    origin: 'pillarjs/send test/send.js at 092f3fc, MIT; its tags are weak, ours strong',
    rows: [
      ['If-Match', '*', '"4-15"', 200],
      ['If-Match', ' "foo",, "bar" ,', '"4-15"', 412],
      ['If-Match', '"foo", "bar", "4-15"', '"4-15"', 200],
      ['If-None-Match', '"4-15"', '"4-15"', 304],
      ['If-None-Match', '"123"', '"4-15"', 200],
    ],
  },
  {
    origin: 'lukeed/sirv tests/sirv.mjs at d061616, MIT',
    rows: [['If-None-Match', 'W/"116-1549000000000"', '"116-1549000000000"', 304]],
  },
];
