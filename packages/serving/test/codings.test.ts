import { describe, expect, it } from 'vitest';
import { chooseCoding } from '../src/codings.ts';
import type { CompressedForms } from '../src/site.ts';
import { CODINGS } from './tables/codings.ts';
import { expected } from './tables/public-cases.ts';

/** Creates compressed forms from their names, such as `br gzip`. */
function formsNamed(names: string): CompressedForms {
  const bytes = { pack: 'p', offset: 0, length: 1, sha256: '0'.repeat(64) };
  return Object.fromEntries(names.split(' ').map((name) => [name, bytes]));
}

const chosenCoding = (header: string | undefined, offered: CompressedForms | undefined) =>
  chooseCoding(header, offered) ?? 'identity';

const ALL_CODINGS = 'br zstd gzip';

describe('chooseCoding', () => {
  it.each(expected(CODINGS, 2))(
    'for a test case of %s with Accept-Encoding %j and %j offered, chooses %s (S49)',
    (_, header, offered, coding) => {
      expect(chosenCoding(header, formsNamed(offered))).toBe(coding);
    },
  );

  /** For each chosen coding, headers that lead to the choice, and the offered codings (by default all). */
  const choices: [coding: string, headers: string[], offered?: string][] = [
    ['br', ['gzip, deflate, br, zstd', '*', '*;q=0.5', 'BR', 'sdch, br;q=0.1', 'gzip;q=x, br', 'gzip;q=0.5, *;q=0.8']],
    ['br', ['br;q=0.5, gzip;q=0.5, zstd;q=0.5', 'identity;q=0.5, gzip;q=0.3, br;q=0.8']],
    ['zstd', ['br;q=0, *']],
    ['zstd', ['gzip, deflate, br, zstd'], 'zstd gzip'],
    ['zstd', ['br;q=0.5, gzip;q=0.9, zstd;q=0.7'], 'br zstd'],
    ['gzip', ['gzip, deflate', 'br;q=0.5, gzip;q=0.9, zstd;q=0.7', '*;q=0, gzip', 'x-gzip', 'X-GZIP;Q=1']],
    ['gzip', ['identity, gzip', 'identity;q=0.5, gzip;q=0.5', 'identity;q=0, gzip;q=0.1']],
    ['gzip', ['gzip;q=0.001', 'gzip;q=0.5', 'gzip;q=.5', 'gzip;q=1.', 'gzip;q=1.000', 'gzip\t;\tq=0.5 ,br ; q=0.4']],
    ['gzip', ['gzip, deflate, br'], 'zstd gzip'],
    ['identity', ['', ',, ,', 'deflate', 'identity;q=0.5, gzip;q=0.3', 'constructor, toString, __proto__']],
    ['identity', ['gzip;q=0, br;q=0.000', 'gzip;q=0, gzip', 'gzip;q=0, x-gzip']],
    ['identity', ['gzip;q=1.001', 'gzip;q=2', 'gzip;q=-1', 'gzip;q=1e-1', 'gzip;q=.', 'gzip;q="1"', 'gzip br']],
    ['identity', ['gzip;q=', 'gzip;q', 'gzip;']],
    ['identity', ['identity;q=0, gzip;q=0.1'], 'br'],
    ['identity', ['gzip;q=0.5, *;q=0.8'], 'gzip'],
  ];
  const rows = choices.flatMap(([coding, headers, offered = ALL_CODINGS]) =>
    headers.map((header) => [header, offered, coding] as const),
  );
  it.each(rows)('for Accept-Encoding %j, with %j offered, chooses %s (S49)', (header, offered, coding) => {
    expect(chosenCoding(header, formsNamed(offered))).toBe(coding);
  });

  it('returns null while no form is ready (S49)', () => {
    expect(chooseCoding('br', undefined)).toBeNull();
    expect(chooseCoding('br', {})).toBeNull();
  });

  it('chooses the same coding every time, even after requests of other clients (S49)', () => {
    const offered = formsNamed(ALL_CODINGS);
    for (let n = 0; n < 2000; n += 1) {
      expect(chosenCoding(`gzip;q=0.5, x-made-up-${n}`, offered)).toBe('gzip');
      expect(chosenCoding('gzip, deflate, br, zstd', offered)).toBe('br');
    }
  });

  it('handles any header of 16 KiB fast (S49)', () => {
    const headers = [',', ' ', ';', 'gzip;q=0.1,', 'a', ';q=', '\t ,'].map((part) => part.repeat(16_384 / part.length));
    for (const header of headers) expect(['gzip', 'identity']).toContain(chosenCoding(header, formsNamed(ALL_CODINGS)));
  });
});
