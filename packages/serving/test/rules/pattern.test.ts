import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/rules/fault.ts';
import { type Dialect, matchPattern, readPattern, subjectOf } from '../../src/rules/pattern.ts';

/** The text that a pattern captures from a path, `null` if it does not match. */
function captured(dialect: Dialect, text: string, path: string): readonly string[] | null {
  const read = readPattern(text, dialect);
  if (read instanceof Fault) throw new Error(read.message);
  const subject = subjectOf(path);
  if (typeof read.pattern === 'string') return read.pattern === subject.bare ? [] : null;
  return matchPattern(read.pattern, subject);
}

type Row = [dialect: Dialect, pattern: string, path: string, captures: string[] | null];

describe('matching a pattern against a path (S24)', () => {
  it.each<Row>([
    ['lines', '/', '', []],
    ['lines', '/', 'a', null],
    ['lines', '/old', 'old', []],
    ['lines', '/old', 'old/', []],
    ['lines', '/old/', 'old', []],
    ['lines', '/old', 'Old', null],
    ['lines', '/old', 'old/x', null],
    ['lines', '/caf%C3%A9', 'caf\u00e9', []],
    ['lines', '/cafe\u0301', 'caf\u00e9', []],
    ['lines', '/a%20b', 'a b', []],
    ['lines', '/c%2B%2B', 'c++', []],
    ['lines', '/100%25', '100%', []],
    ['lines', '/a.b', 'axb', null],
    ['lines', '/time/12:30', 'time/12:30', []],

    ['lines', '/:id', 'x', ['x']],
    ['lines', '/:id', 'x/', ['x']],
    ['lines', '/:id', '', null],
    ['lines', '/:id', 'x/y', null],
    ['lines', '/blog/:year/:slug', 'blog/2024/a b', ['2024', 'a b']],
    ['lines', '/blog/:year/:slug', 'blog/2024', null],
    ['lines', '/:a/edit', 'x/edit', ['x']],
    ['lines', '/:a/edit', 'x/edited', null],
    ['lines', '/:a/edit', 'edit', null],

    ['lines', '/*', '', ['']],
    ['lines', '/*', 'a/b.c', ['a/b.c']],
    ['lines', '/*', 'a/b/', ['a/b/']],
    ['lines', '/docs/*', 'docs', ['']],
    ['lines', '/docs/*', 'docs/', ['']],
    ['lines', '/docs/*', 'docs/a/b', ['a/b']],
    ['lines', '/docs/*', 'docsx', null],
    ['lines', '/docs/*/', 'docs/a', ['a']],
    ['lines', '/docs*', 'docsx', ['x']],
    ['lines', '/docs*', 'docs', ['']],
    ['lines', '/docs*', 'docs/x', ['/x']],
    ['lines', '/*.js', 'a/b.js', ['a/b']],
    ['lines', '/*.js', '.js', ['']],
    ['lines', '/*.js', 'a.jsx', null],
    ['lines', '/*.js', 'a.js/', ['a']],
    ['lines', '/img-*.png', 'img-1.png', ['1']],
    ['lines', '/ab*ba', 'aba', null],
    ['lines', '/*/feed', 'a/b/feed', ['a/b']],
    ['lines', '/*/feed', 'feed', null],
    ['lines', '/*/feed/', 'a/feed', ['a']],
    ['lines', '/a/*/b/c', 'a/x/b/c', ['x']],
    ['lines', '/a/*/b', 'a/b', null],
    ['lines', '/:lang/docs/*', 'de/docs', ['de', '']],
    ['lines', '/:lang/docs/*', 'de/docs/a/b', ['de', 'a/b']],
    ['lines', '/:lang/*', 'de', ['de', '']],
    ['lines', '/:lang/*', '', null],

    ['json', '/docs/(.*)', 'docs', ['']],
    ['json', '/docs/(.*)', 'docs/', ['']],
    ['json', '/docs/(.*)', 'docs/a/b', ['a/b']],
    ['json', '/docs/:path*', 'docs', ['']],
    ['json', '/docs/:path*', 'docs/', ['']],
    ['json', '/docs/:path*', 'docs/a/b', ['a/b']],
    ['json', '/docs/:path+', 'docs', null],
    ['json', '/docs/:path+', 'docs/', null],
    ['json', '/docs/:path+', 'docs/a', ['a']],
    ['json', '/(.*).js', 'x/y.js', ['x/y']],
    ['json', '/:lang/(.*)', 'de/a/b', ['de', 'a/b']],
    ['json', '/(.*)', '', ['']],
  ])('%s %s, %j captures %j', (dialect, pattern, path, captures) => {
    expect(captured(dialect, pattern, path)).toEqual(captures);
  });
});

describe('an invalid pattern, and the hint in its message (S24, S30)', () => {
  it.each<[Dialect, string, string]>([
    ...'()[]{}|^$?+'.split('').map((sign): [Dialect, string, string] => ['lines', `/a${sign}b`, '']),
    ...'()[]{}|^$?+*'.split('').map((sign): [Dialect, string, string] => ['json', `/a${sign}b`, '']),
    ['lines', '/a+b', '%2B'],
    ['json', '/*', '(.*)'],
    ['json', '/a/:id(\\d+)', '('],
    ['json', '/a/(?:b)', '('],
    ['json', '/:path*/x', '(.*)'],
    ['json', '/:id?', '%3F'],
    ['lines', '/a/*/b/*', 'one star'],
    ['lines', '/a**', 'one star'],
    ['json', '/(.*)/(.*)', 'one star'],
    ['json', '/(.*)/:path*', 'one star'],
    ['lines', '/*/:id', 'after the star'],
    ['lines', '/:a/:a', 'twice'],
    ['lines', '/:splat/*', 'twice'],
    ['lines', '/a-:id', 'whole segment'],
    ['lines', '/:id.html', 'whole segment'],
    ['lines', '/:id*', 'whole segment'],
    ['lines', 'old', 'slash'],
    ['lines', '', 'slash'],
    ['lines', '//old', 'every host'],
    ['lines', 'https://a.example/old', 'every host'],
    ['json', 'HTTP://a.example/(.*)', 'every host'],
    ['lines', '/a//b', 'empty'],
    ['lines', '/a//', 'empty'],
    ['lines', '/a/../b', '..'],
    ['lines', '/./b', '.'],
    ['lines', '/%2e%2e/b', '..'],
    ['lines', '/a%2Fb', 'slash'],
    ['lines', '/a\\b', 'backslash'],
    ['lines', '/a%5Cb', 'backslash'],
    ['lines', '/a%', '%25'],
    ['lines', '/a%FF', '%25'],
    ['lines', '/a%00', 'control'],
    ['lines', '/a#b', '%23'],
    ['lines', '/a\ufffdb', 'UTF-8'],
    ['json', '/a\ud800', 'UTF-8'],
    ['lines', `/${'a'.repeat(2000)}`, '2000'],
    ['lines', `/${Array.from({ length: 9 }, (_, n) => `:p${n}`).join('/')}`, '8'],
  ])('is rejected with a hint: %s %.40j', (dialect, pattern, message) => {
    const read = readPattern(pattern, dialect);
    expect(read).toBeInstanceOf(Fault);
    expect((read as Fault).message).toContain(message);
  });
});

describe('for any text', () => {
  const piece = fc.oneof(fc.constantFrom(':a', ':b', '*', '(.*)', ':c*', ':d+', '', '.', '%41', 'x*'), fc.string());
  const pattern = fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join('/')}`);

  it('readPattern returns a pattern or a fault, and matching never throws (S24)', () => {
    fc.assert(
      fc.property(pattern, fc.string(), fc.constantFrom<Dialect>('json', 'lines'), (text, path, dialect) => {
        const read = readPattern(text, dialect);
        if (read instanceof Fault) return read.message !== '';
        expect(JSON.parse(JSON.stringify(read.pattern))).toEqual(read.pattern);
        if (typeof read.pattern === 'string') return true;
        const captures = matchPattern(read.pattern, subjectOf(path));
        return captures === null || captures.length === read.captures.length;
      }),
    );
  });

  it('the texts of a pattern and its captures together make up the path (S24)', () => {
    const segment = fc.stringMatching(/^[a-c.]{1,3}$/).filter((text) => !/^\.+$/.test(text));
    const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(path, fc.nat(40), fc.nat(40), (path, a, b) => {
        const [from, to] = [Math.min(a, b, path.length), Math.min(Math.max(a, b), path.length)];
        const star = path.slice(from, to);
        const captures = captured('lines', `/${path.slice(0, from)}*${path.slice(to)}`, path);
        expect(captures).toEqual([star]);
      }),
    );
  });
});
