import type { PublicCases } from './public-cases.ts';

const NO_406 = 'identity rather than 406';
const PARAMETERS = 'the grammar allows only a weight as parameter; invalid elements are ignored';

/** An `Accept-Encoding` header, if any, and the codings offered besides identity. */
export const CODINGS: readonly PublicCases<readonly [header: string | undefined, offered: string], string>[] = [
  {
    origin: 'jshttp/negotiator test/encoding.js at 14b0a7b, MIT; zstd stands for its compress, br for its deflate',
    rows: [
      [undefined, '', 'identity'],
      [undefined, 'gzip', 'identity'],
      ['*', 'gzip', 'gzip'],
      ['*', '', 'identity'],
      ['*, gzip', 'gzip', 'gzip'],
      ['*, gzip', 'zstd gzip', 'gzip', 'zstd', 'equal weights go by our order, not by who is named'],
      ['*, gzip;q=0', '', 'identity'],
      ['*, gzip;q=0', 'gzip', 'identity'],
      ['*, gzip;q=0', 'gzip zstd', 'zstd'],
      ['*;q=0', '', 'none', 'identity', NO_406],
      ['*;q=0', 'gzip', 'none', 'identity', NO_406],
      ['*;q=0, identity;q=1', 'gzip', 'identity'],
      ['identity', '', 'identity'],
      ['identity', 'gzip', 'identity'],
      ['identity;q=0', '', 'none', 'identity', NO_406],
      ['identity;q=0', 'gzip', 'none', 'identity', NO_406],
      ['gzip', 'gzip', 'gzip'],
      ['gzip', '', 'identity'],
      ['gzip, zstd;q=0', 'zstd', 'identity'],
      ['gzip, zstd;q=0', 'br zstd', 'identity'],
      ['gzip, zstd;q=0', 'gzip zstd', 'gzip'],
      ['gzip, br', 'br zstd', 'br'],
      ['gzip, br', 'gzip', 'gzip'],
      ['gzip;q=0.8, br', 'gzip', 'gzip'],
      ['gzip;q=0.8, br', 'br', 'br'],
      ['gzip;q=0.8, br', 'br gzip', 'br'],
      ['gzip;foo=bar;q=1, br;q=1', 'gzip', 'gzip', 'identity', PARAMETERS],
      ['gzip;foo="bar,baz", br', 'gzip', 'gzip', 'identity', PARAMETERS],
      ['gzip;q=0.8, identity;q=0.5, *;q=0.3', 'gzip', 'gzip'],
      ['gzip;q=0.8, identity;q=0.5, *;q=0.3', 'zstd', 'identity'],
      ['gzip;q=0.8, identity;q=0.5, *;q=0.3', 'br gzip', 'gzip'],
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
