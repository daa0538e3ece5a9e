import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBasicAuth, scanForBasicAuth } from '../../src/rules/basic-auth.ts';

/** Returns the line with a Basic-Auth field, if the scan gets the text in pieces of this size. */
function lineOf(text: string | Buffer, pieceBytes = 65_536): number | null {
  const bytes = Buffer.from(text as string);
  const scan = scanForBasicAuth();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const line = scan(bytes.subarray(at, at + pieceBytes));
    if (line !== null) return line;
  }
  return null;
}

const BLOCKS = Array.from({ length: 501 }, (_, n) => `/${n}\n  X-A: 1\n`).join('');

describe('Basic-Auth in _headers (api §3)', () => {
  it.each<[title: string, text: string | Buffer, line: number]>([
    ['in the form that Netlify documents', '/*\n  Basic-Auth: jane:hunter2\n', 2],
    ['in lower case', '/*\n  basic-auth: jane:hunter2', 2],
    ['in upper case', '/*\n  BASIC-AUTH: jane:hunter2', 2],
    ['without blanks', '/*\nBasic-Auth:jane:hunter2', 2],
    ['with blanks before the colon', '/*\n  Basic-Auth \t : jane:hunter2', 2],
    ['behind tabs', '/*\n\t\tBasic-Auth:\tjane:hunter2', 2],
    ['behind a no-break space', '/*\n\u00a0Basic-Auth: jane:hunter2', 2],
    ['in lines that end in CR LF', '/*\r\n  X-A: 1\r\n  Basic-Auth: jane:hunter2\r\n', 3],
    ['behind a lone CR', '/*\r  Basic-Auth: jane:hunter2', 1],
    ['behind a byte-order mark', '\ufeffBasic-Auth: jane:hunter2', 1],
    ['in UTF-16', Buffer.from('\ufeff/*\n  Basic-Auth: jane:hunter2', 'utf16le'), 2],
    ['without a value', '/*\n  Basic-Auth:', 2],
    ['in a block whose path is invalid', '/a{b}\n  Basic-Auth: jane:hunter2', 2],
    ['in a block for another host', 'https://example.com/*\n  Basic-Auth: jane:hunter2', 2],
    ['on the line of the path', '/* Basic-Auth: jane:hunter2', 1],
    ['in quotes', '/*\n  "Basic-Auth": "jane:hunter2"', 2],
    ['with an equals sign', '/*\n  Basic-Auth = jane:hunter2', 2],
    ['in a table of TOML', '[headers.values]\nX-A = "1"\n"Basic-Auth" = "jane:hunter2"', 3],
    ['in an inline table of TOML', 'values = { "X-A" = "1", Basic-Auth = "jane:hunter2" }', 1],
    ['after other faults', 'nonsense\n/*\n  ETag: "1"\n  Basic-Auth: jane:hunter2', 4],
    ['beyond the limit of blocks', `${BLOCKS}/*\n  Basic-Auth: jane:hunter2`, 1004],
    ['beyond the limit of headers', `/*\n${'X-A: 1\n'.repeat(60)}Basic-Auth: jane:hunter2`, 62],
    ['beyond the limit of bytes', `${`#${'x'.repeat(1022)}\n`.repeat(257)}/*\n  Basic-Auth: jane:hunter2`, 259],
    ['in a line that is too long', `/*\n  Basic-Auth: ${'jane:hunter2 '.repeat(200)}`, 2],
    ['behind more blanks than a line may have', `/*\n${' '.repeat(3000)}Basic-Auth: jane:hunter2`, 2],
  ])('is found %s', (_, text, line) => {
    expect([lineOf(text), lineOf(text, 1), lineOf(text, 7)]).toEqual([line, line, line]);
  });

  it.each([
    ['a comment', '/*\n  # Basic-Auth: jane:hunter2'],
    ['a path', '/docs/basic-auth\n  X-A: 1'],
    ['a value', '/*\n  Access-Control-Allow-Headers: Authorization, Basic-Auth\n  X-A: 1'],
    ['the end of a longer name', '/*\n  X-Basic-Auth: 1'],
    ['the beginning of a longer name', '/*\n  Basic-Auth-Realm: 1'],
    ['a value before the name of the next line', '/*\n  X-A: basic-auth\n  : x'],
  ])('is not found in %s', (_, text) => {
    expect([lineOf(text), lineOf(text, 1)]).toEqual([null, null]);
  });

  it('is found in any letter case, whatever text precedes its line', () => {
    const name = fc.constantFrom('Basic-Auth', 'basic-auth', 'BASIC-AUTH', 'bAsIc-aUtH');
    const blanks = fc.stringMatching(/^[ \t]{0,5}$/);
    fc.assert(
      fc.property(
        fc.string(),
        blanks,
        name,
        blanks,
        fc.integer({ min: 1, max: 20 }),
        (before, indent, key, gap, size) => {
          expect(lineOf(`${before}\n${indent}${key}${gap}: x`, size)).not.toBeNull();
        },
      ),
    );
  });

  it('is searched in time linear in the size of the file', () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024, 'basic-auth \t');
    const start = performance.now();
    expect(lineOf(bytes)).toBeNull();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('Basic-Auth in ship.json (api §3)', () => {
  const headers = (...list: unknown[]) => ({ headers: [{ source: '/(.*)', headers: list }] });

  it.each<[title: string, json: object, at: string]>([
    ['a key', headers({ key: 'X-A', value: '1' }, { key: 'Basic-Auth', value: 'x' }), 'headers[0].headers[1].key'],
    ['a key in another letter case', headers({ key: 'bASIC-aUTH', value: 'x' }), 'headers[0].headers[0].key'],
    ['a key with blanks', headers({ key: ' Basic-Auth\t', value: 'x' }), 'headers[0].headers[0].key'],
    ['a key with a colon', headers({ key: 'Basic-Auth:', value: 'x' }), 'headers[0].headers[0].key'],
    ['a whole line', headers('Basic-Auth: jane:hunter2'), 'headers[0].headers[0]'],
    ['a value of an unknown property', headers({ name: 'Basic-Auth', value: 'x' }), 'headers[0].headers[0].name'],
    ['a property', { headers: [{ source: '/a', headers: { 'Basic-Auth': 'x' } }] }, 'headers[0].headers.Basic-Auth'],
    ['a property at the top', { 'basic-auth': 'x' }, 'basic-auth'],
    ['an unknown key', { routes: [{ src: '/.*', headers: { 'Basic-Auth': 'x' } }] }, 'routes[0].headers.Basic-Auth'],
    [
      'a key beyond the limit of entries',
      { headers: [...Array(600).fill({}), { source: '/a', headers: [{ key: 'Basic-Auth', value: 'x' }] }] },
      'headers[600].headers[0].key',
    ],
    ['a key in a skipped entry', { headers: [{ headers: [{ key: 'Basic-Auth' }] }] }, 'headers[0].headers[0].key'],
  ])('is found if it is %s', (_, json, at) => {
    expect(findBasicAuth(json)).toBe(at);
  });

  it.each<[title: string, json: object]>([
    ['a path', { redirects: [{ source: '/basic-auth', destination: '/password' }] }],
    ['a value', headers({ key: 'Access-Control-Allow-Headers', value: 'Basic-Auth' })],
    ['part of a name', headers({ key: 'X-Basic-Auth', value: 'x' })],
    ['an empty object', {}],
  ])('is not found in %s', (_, json) => {
    expect(findBasicAuth(json)).toBeNull();
  });

  it('is reported with a short path, however long the keys around it are', () => {
    expect(findBasicAuth({ ['x'.repeat(10_000)]: { 'Basic-Auth': 1 } })!.length).toBeLessThan(100);
  });
});
