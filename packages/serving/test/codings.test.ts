import { describe, expect, it } from 'vitest';
import { chooseCoding } from '../src/codings.ts';
import type { CompressedForms } from '../src/site.ts';
import { CODINGS } from './tables/codings.ts';
import { expected } from './tables/public-cases.ts';

/** Compressed forms by name: `br gzip`. */
function forms(names: string): CompressedForms {
  const bytes = { pack: 'p', offset: 0, length: 1, sha256: '0'.repeat(64) };
  return Object.fromEntries(names.split(' ').map((name) => [name, bytes]));
}

const chosen = (header: string | undefined, offered: CompressedForms | undefined) =>
  chooseCoding(header, offered) ?? 'identity';

const ALL = 'br zstd gzip';

describe('chooseCoding', () => {
  it.each(expected(CODINGS, 2))(
    '%s: for Accept-Encoding %j, with %j offered, chooses %s (S49)',
    (_, header, offered, coding) => {
      expect(chosen(header, forms(offered))).toBe(coding);
    },
  );

  const rows: [header: string | undefined, offered: string, coding: string][] = [
    ['gzip, deflate, br, zstd', ALL, 'br'],
    ['gzip, deflate, br, zstd', 'zstd gzip', 'zstd'],
    ['gzip, deflate, br', 'zstd gzip', 'gzip'],
    ['gzip, deflate', ALL, 'gzip'],
    ['deflate', ALL, 'identity'],
    ['', ALL, 'identity'],
    [',, ,', ALL, 'identity'],
    ['*', ALL, 'br'],
    ['*;q=0.5', ALL, 'br'],
    ['br;q=0.5, gzip;q=0.9, zstd;q=0.7', ALL, 'gzip'],
    ['br;q=0.5, gzip;q=0.9, zstd;q=0.7', 'br zstd', 'zstd'],
    ['br;q=0.5, gzip;q=0.5, zstd;q=0.5', ALL, 'br'],
    ['gzip;q=0.001', ALL, 'gzip'],
    ['gzip;q=0, br;q=0.000', ALL, 'identity'],
    ['gzip;q=0.5', ALL, 'gzip'],
    ['identity, gzip', ALL, 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', ALL, 'gzip'],
    ['identity;q=0.5, gzip;q=0.3', ALL, 'identity'],
    ['identity;q=0.5, gzip;q=0.3, br;q=0.8', ALL, 'br'],
    ['identity;q=0, gzip;q=0.1', ALL, 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'br', 'identity'],
    ['gzip;q=0.5, *;q=0.8', ALL, 'br'],
    ['gzip;q=0.5, *;q=0.8', 'gzip', 'identity'],
    ['*;q=0, gzip', ALL, 'gzip'],
    ['br;q=0, *', ALL, 'zstd'],
    ['x-gzip', ALL, 'gzip'],
    ['X-GZIP;Q=1', ALL, 'gzip'],
    ['BR', ALL, 'br'],
    ['gzip\t;\tq=0.5 ,br ; q=0.4', ALL, 'gzip'],
    ['gzip;q=0, gzip', ALL, 'identity'],
    ['gzip;q=0, x-gzip', ALL, 'identity'],
    ['gzip;q=.5', ALL, 'gzip'],
    ['gzip;q=1.', ALL, 'gzip'],
    ['gzip;q=1.000', ALL, 'gzip'],
    ['gzip;q=1.001', ALL, 'identity'],
    ['gzip;q=2', ALL, 'identity'],
    ['gzip;q=', ALL, 'identity'],
    ['gzip;q', ALL, 'identity'],
    ['gzip;', ALL, 'identity'],
    ['gzip;q=-1', ALL, 'identity'],
    ['gzip;q=1e-1', ALL, 'identity'],
    ['gzip;q=.', ALL, 'identity'],
    ['gzip;q="1"', ALL, 'identity'],
    ['gzip br', ALL, 'identity'],
    ['gzip;q=x, br', ALL, 'br'],
    ['constructor, toString, __proto__', ALL, 'identity'],
    ['sdch, br;q=0.1', ALL, 'br'],
  ];
  it.each(rows)('for Accept-Encoding %j, with %j offered, chooses %s (S49)', (header, offered, coding) => {
    expect(chosen(header, forms(offered))).toBe(coding);
  });

  it('returns null while no form is ready (S49)', () => {
    expect(chooseCoding('br', undefined)).toBeNull();
    expect(chooseCoding('br', {})).toBeNull();
  });

  it('chooses the same every time, whatever other clients request in between (S49)', () => {
    const offered = forms(ALL);
    for (let n = 0; n < 2000; n += 1) {
      expect(chosen(`gzip;q=0.5, x-made-up-${n}`, offered)).toBe('gzip');
      expect(chosen('gzip, deflate, br, zstd', offered)).toBe('br');
    }
  });

  it('handles any header of 16 KiB fast (S49)', () => {
    const headers = [',', ' ', ';', 'gzip;q=0.1,', 'a', ';q=', '\t ,'].map((part) => part.repeat(16_384 / part.length));
    for (const header of headers) expect(['gzip', 'identity']).toContain(chosen(header, forms(ALL)));
  });
});
