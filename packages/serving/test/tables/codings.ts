import type { PublicCases } from './public-cases.ts';

const NO_406 = 'identity rather than 406';
const PARAMETERS = 'the grammar allows only a weight as parameter; invalid elements are ignored';

/** Returns the rows of several headers with one result. */
const rowsOf = (offered: string, coding: string, headers: (string | undefined)[]) =>
  headers.map((header) => [header, offered, coding] as const);

/** An `Accept-Encoding` header, if any, and the offered codings without identity. */
export const CODINGS: readonly PublicCases<readonly [header: string | undefined, offered: string], string>[] = [
  {
    origin: 'jshttp/negotiator test/encoding.js at 14b0a7b, MIT; zstd stands for its compress, br for its deflate',
    rows: [
      ...rowsOf('', 'identity', [undefined, '*', '*, gzip;q=0', 'identity', 'gzip']),
      ...rowsOf('gzip', 'identity', [undefined, '*, gzip;q=0', '*;q=0, identity;q=1', 'identity']),
      ...rowsOf('gzip', 'gzip', ['*', '*, gzip', 'gzip', 'gzip, br', 'gzip;q=0.8, br']),
      ...rowsOf('gzip', 'gzip', ['gzip;q=0.8, identity;q=0.5, *;q=0.3']),
      ...rowsOf('zstd', 'identity', ['gzip, zstd;q=0', 'gzip;q=0.8, identity;q=0.5, *;q=0.3']),
      ...rowsOf('br', 'br', ['gzip;q=0.8, br']),
      ...rowsOf('br zstd', 'identity', ['gzip, zstd;q=0']),
      ...rowsOf('br zstd', 'br', ['gzip, br']),
      ...rowsOf('br gzip', 'br', ['gzip;q=0.8, br']),
      ...rowsOf('br gzip', 'gzip', ['gzip;q=0.8, identity;q=0.5, *;q=0.3']),
      ...rowsOf('gzip zstd', 'zstd', ['*, gzip;q=0']),
      ...rowsOf('gzip zstd', 'gzip', ['gzip, zstd;q=0']),
      ['*, gzip', 'zstd gzip', 'gzip', 'zstd', 'equal weights go by our order, not by who is named'],
      ['*;q=0', '', 'none', 'identity', NO_406],
      ['*;q=0', 'gzip', 'none', 'identity', NO_406],
      ['identity;q=0', '', 'none', 'identity', NO_406],
      ['identity;q=0', 'gzip', 'none', 'identity', NO_406],
      ['gzip;foo=bar;q=1, br;q=1', 'gzip', 'gzip', 'identity', PARAMETERS],
      ['gzip;foo="bar,baz", br', 'gzip', 'gzip', 'identity', PARAMETERS],
    ],
  },
  {
    origin: 'lukeed/sirv tests/sirv.mjs at d061616, MIT',
    rows: [
      ['br,gzip', 'br', 'br'],
      ['br,gzip', '', 'identity'],
      ['br,gzip', 'br gzip', 'br'],
      ['br,gzip', 'gzip', 'gzip'],
    ],
  },
];
