import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRequestPath, isSystemPath, parseRequestPath } from '../src/request-path.ts';

describe('parseRequestPath and formatRequestPath', () => {
  it.each([
    ['no leading slash', ['', 'about', '*']],
    ['a character that must be escaped', ['/a b', '/é', '/\u0000']],
    ['an incomplete escape', ['/%', '/%4', '/%zz', '/a%', '/%2e%2e%']],
    ['an escaped control character', ['/%00', '/a%0ab', '/%0d%0aSet-Cookie:x', '/%7f', '/%c2%85']],
    ['an escape that is not UTF-8', ['/%ff', '/%c0%af', '/%ed%a0%80', '/%e9']],
  ])('S7: reject a path with %s, as in each of %j', (_, targets) => {
    for (const raw of targets) expect(parseRequestPath(raw), raw).toBeNull();
  });

  const readableTargets: [raw: string, path: string, clean: boolean][] = [
    ['/', '', true],
    ['/about', 'about', true],
    ['/docs/', 'docs/', true],
    ['/%61bout', 'about', true],
    ['/a%20b%23%3f', 'a b#?', true],
    ['/%2561', '%61', true],
    ['/%F0%9F%9A%A2', '🚢', true],
    ['//', '', false],
    ['//about', 'about', false],
    ['/docs//', 'docs/', false],
    ['/docs/.', 'docs/', false],
    ['/docs/./', 'docs/', false],
    ['/docs/..', '', false],
    ['/a/b/..', 'a/', false],
    ['/a/../b', 'b', false],
    ['/a/%2e%2E/b', 'b', false],
    ['/a/.%2e/', '', false],
    ['/...', '...', true],
  ];
  it.each(readableTargets)('S7, S9: convert the target %j to the path %j', (raw, path, clean) => {
    expect(parseRequestPath(raw)).toEqual({ path, clean, servable: true });
  });

  it('S10: convert every encoding of a name to one path', () => {
    const spellings = ['/caf%C3%A9', '/caf%c3%a9', '/cafe%CC%81', '/cafe%cc%81', '/%63af%C3%A9'];
    expect(new Set(spellings.map((raw) => parseRequestPath(raw)?.path))).toEqual(new Set(['caf\u00e9']));
  });

  const unservableTargets: [raw: string, folder: string][] = [
    ['/..', ''],
    ['/../x', ''],
    ['/a/../../x', ''],
    ['/%2e%2e/x', ''],
    ['/a%2Fb', ''],
    ['/docs/a%2fb/c', 'docs/'],
    ['/docs/a\\b', 'docs/'],
    ['/%5c..%5cx', ''],
    [`/${'a'.repeat(256)}`, ''],
    [`/${'%C3%A9'.repeat(128)}`, ''],
    [`/docs/${'a/'.repeat(512)}`, ''],
    [`/docs/${'a/'.repeat(512)}%2f`, ''],
  ];
  it.each(unservableTargets)('S8, S9: treat %j as a path that is never served', (raw, path) => {
    expect(parseRequestPath(raw)).toMatchObject({ servable: false, path });
  });

  it('S8: accept a segment of 255 bytes and a path of 1024 bytes', () => {
    expect(parseRequestPath(`/${'a'.repeat(255)}`)?.servable).toBe(true);
    expect(parseRequestPath(`/${'a/'.repeat(512)}`)?.servable).toBe(true);
  });

  it('S13: encode each segment again', () => {
    expect(formatRequestPath('a?b#c%d/caf\u00e9 @1/')).toBe('/a%3Fb%23c%25d/caf%C3%A9%20@1/');
    expect(formatRequestPath('')).toBe('/');
    expect(formatRequestPath('//evil.example/')).toBe('/evil.example/');
    expect(formatRequestPath('\\\\evil.example')).toBe('/%5C%5Cevil.example');
  });

  it('S13: format a path with one leading slash, so that it is parsed to the same path', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .map((text) => text.normalize('NFC'))
      .filter((text) => !/[/\\\p{Cc}]|^\.\.?$/u.test(text));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), fc.boolean(), (segments, folder) => {
        const path = segments.join('/') + (folder ? '/' : '');
        const raw = formatRequestPath(path);
        expect(raw).toMatch(/^\/[^/\\]/);
        expect(parseRequestPath(raw)).toEqual({ path, clean: true, servable: true });
      }),
    );
  });

  it('S10: convert escaped and plain letters to the same path', () => {
    const pathPiece = fc.constantFrom(...'/ . // a Z 9 - ~ [ ? # $ \\ %2f'.split(' '), 'b'.repeat(130));
    fc.assert(
      fc.property(fc.array(pathPiece, { maxLength: 12 }), (pieces) => {
        const escapedPieces = pieces.map((text) =>
          /^\w+$/.test(text) ? text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`) : text,
        );
        expect(parseRequestPath(`/${pieces.join('')}%61`)).toEqual(parseRequestPath(`/${escapedPieces.join('')}a`));
        expect(parseRequestPath(`/${pieces.join('')}a`)).toEqual(parseRequestPath(`/${escapedPieces.join('')}%61`));
      }),
      { numRuns: 1000 },
    );
  });

  it('S7: convert or reject any target, and never leave the site', () => {
    const unit = fc.constantFrom(...'/ . %2e %2f %5c \\ a % ? %c3%a9'.split(' '));
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        const parsed = parseRequestPath(`/${text}`);
        if (parsed !== null) expect(`/${parsed.path}`).not.toMatch(/\/\/|\/\.\.?(?:\/|$)|\\/);
      }),
    );
  });
});

it.each([
  [true, ['.berth/', '.berth/unlock', '.berth/x/y', '.well-known/acme-challenge/', '.well-known/acme-challenge/token']],
  [false, ['', 'berth/unlock', '.well-known/security.txt', 'docs/.berth/x', '.well-known/acme-challenge']],
])('S6: isSystemPath returns %s for each of %j', (isReserved, paths) => {
  for (const path of paths) expect(isSystemPath(path), path).toBe(isReserved);
});
