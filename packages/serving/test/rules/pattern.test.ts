import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/rules/fault.ts';
import { type Dialect, matchPattern, readPattern, subjectOf } from '../../src/rules/pattern.ts';

/** Returns the texts that a pattern captures from a path; `null` if the path does not match. */
function captured(dialect: Dialect, text: string, path: string): readonly string[] | null {
  const read = readPattern(text, dialect);
  if (read instanceof Fault) throw new Error(read.message);
  const subject = subjectOf(path);
  if (typeof read.pattern === 'string') return read.pattern === subject.bare ? [] : null;
  return matchPattern(read.pattern, subject);
}

describe('matching a pattern against a path (S24)', () => {
  it.each<[dialect: Dialect, pattern: string, captures: Record<string, string[] | null>]>([
    ['lines', '/', { '': [], a: null }],
    ['lines', '/old', { old: [], 'old/': [], Old: null, 'old/x': null }],
    ['lines', '/old/', { old: [] }],
    ['lines', '/caf%C3%A9', { 'caf\u00e9': [] }],
    ['lines', '/cafe\u0301', { 'caf\u00e9': [] }],
    ['lines', '/a%20b', { 'a b': [] }],
    ['lines', '/c%2B%2B', { 'c++': [] }],
    ['lines', '/100%25', { '100%': [] }],
    ['lines', '/a.b', { axb: null }],
    ['lines', '/time/12:30', { 'time/12:30': [] }],

    ['lines', '/:id', { x: ['x'], 'x/': ['x'], '': null, 'x/y': null }],
    ['lines', '/blog/:year/:slug', { 'blog/2024/a b': ['2024', 'a b'], 'blog/2024': null }],
    ['lines', '/:a/edit', { 'x/edit': ['x'], 'x/edited': null, edit: null }],

    ['lines', '/*', { '': [''], 'a/b.c': ['a/b.c'], 'a/b/': ['a/b/'] }],
    ['lines', '/docs/*', { docs: [''], 'docs/': [''], 'docs/a/b': ['a/b'], docsx: null }],
    ['lines', '/docs/*/', { 'docs/a': ['a'] }],
    ['lines', '/docs*', { docsx: ['x'], docs: [''], 'docs/x': ['/x'] }],
    ['lines', '/*.js', { 'a/b.js': ['a/b'], '.js': [''], 'a.jsx': null, 'a.js/': ['a'] }],
    ['lines', '/img-*.png', { 'img-1.png': ['1'] }],
    ['lines', '/ab*ba', { aba: null }],
    ['lines', '/*/feed', { 'a/b/feed': ['a/b'], feed: null }],
    ['lines', '/*/feed/', { 'a/feed': ['a'] }],
    ['lines', '/a/*/b/c', { 'a/x/b/c': ['x'] }],
    ['lines', '/a/*/b', { 'a/b': null }],
    ['lines', '/:lang/docs/*', { 'de/docs': ['de', ''], 'de/docs/a/b': ['de', 'a/b'] }],
    ['lines', '/:lang/*', { de: ['de', ''], '': null }],

    ['json', '/docs/(.*)', { docs: [''], 'docs/': [''], 'docs/a/b': ['a/b'] }],
    ['json', '/docs/:path*', { docs: [''], 'docs/': [''], 'docs/a/b': ['a/b'] }],
    ['json', '/docs/:path+', { docs: null, 'docs/': null, 'docs/a': ['a'] }],
    ['json', '/(.*).js', { 'x/y.js': ['x/y'] }],
    ['json', '/:lang/(.*)', { 'de/a/b': ['de', 'a/b'] }],
    ['json', '/(.*)', { '': [''] }],
    ['json', '/:path(.*)', { 'a/b': ['a/b'] }],
    [
      'json',
      '/((?!api/).*)',
      { '': [''], route: ['route'], 'api/x': null, 'api/': null, api: ['api'], apis: ['apis'] },
    ],
    ['json', '/((?!api|assets/).*)', { 'api/x': null, apis: null, 'assets/x': null, 'x/api': ['x/api'] }],
    [
      'json',
      '/:path((?!api/.*|favicon\\.ico|caf%C3%A9).*)',
      { x: ['x'], 'api/x': null, 'favicon.ico': null, café: null },
    ],
    ['json', '/app/((?!api/).*)', { 'app/x': ['x'], app: [''], 'app/api/x': null, 'api/x': null }],
    ['json', '/:lang/((?!api/).*)', { 'de/x': ['de', 'x'], 'de/api/x': null }],
  ])('in the dialect %s with the pattern %s captures from each path: %j', (dialect, pattern, paths) => {
    for (const [path, captures] of Object.entries(paths))
      expect(captured(dialect, pattern, path), path).toEqual(captures);
  });
});

describe('an invalid pattern (S24, S30)', () => {
  it.each<[hint: string, dialect: Dialect, patterns: string[]]>([
    ['', 'lines', '()[]{}|^$?+'.split('').map((sign) => `/a${sign}b`)],
    ['', 'json', '()[]{}|^$?+*'.split('').map((sign) => `/a${sign}b`)],
    ['%2B', 'lines', ['/a+b']],
    ['(.*)', 'json', ['/*', '/:path*/x']],
    ['(', 'json', ['/a/:id(\\d+)', '/a/(?:b)', '/(?!api/).*']],
    ['literal texts', 'json', ['/((?!).*)', '/((?!a|).*)', '/((?!.*\\.js$).*)', '/((?![a-z]+).*)', '/((?!a?b).*)']],
    ['literal texts', 'json', [`/((?!${Array.from({ length: 33 }, (_, n) => `a${n}`).join('|')}).*)`]],
    ['one star', 'json', ['/((?!a).*)/(.*)', '/((?!a).*)/:b*']],
    ['%3F', 'json', ['/:id?']],
    ['one star', 'lines', ['/a/*/b/*', '/a**']],
    ['one star', 'json', ['/(.*)/(.*)', '/(.*)/:path*']],
    ['after the star', 'lines', ['/*/:id']],
    ['twice', 'lines', ['/:a/:a', '/:splat/*']],
    ['whole segment', 'lines', ['/a-:id', '/:id.html', '/:id*']],
    ['slash', 'lines', ['old', '', '/a%2Fb']],
    ['every host', 'lines', ['//old', 'https://a.example/old']],
    ['every host', 'json', ['HTTP://a.example/(.*)']],
    ['empty', 'lines', ['/a//b', '/a//']],
    ['..', 'lines', ['/a/../b', '/%2e%2e/b']],
    ['.', 'lines', ['/./b']],
    ['backslash', 'lines', ['/a\\b', '/a%5Cb']],
    ['%25', 'lines', ['/a%', '/a%FF']],
    ['control', 'lines', ['/a%00']],
    ['%23', 'lines', ['/a#b']],
    ['UTF-8', 'lines', ['/a\ufffdb']],
    ['UTF-8', 'json', ['/a\ud800']],
    ['2000', 'lines', [`/${'a'.repeat(2000)}`]],
    ['8', 'lines', [`/${Array.from({ length: 9 }, (_, n) => `:p${n}`).join('/')}`]],
  ])('is rejected with the hint "%s" in the dialect %s, such as each of %.60j', (hint, dialect, patterns) => {
    for (const pattern of patterns) {
      const read = readPattern(pattern, dialect);
      expect(read, pattern).toBeInstanceOf(Fault);
      expect((read as Fault).message, pattern).toContain(hint);
    }
  });
});

describe('for any text as a pattern', () => {
  const patternPiece = fc.oneof(
    fc.constantFrom(':a', ':b', '*', '(.*)', ':c*', ':d+', '', '.', '%41', 'x*'),
    fc.string(),
  );
  const pattern = fc.array(patternPiece, { maxLength: 6 }).map((pieces) => `/${pieces.join('/')}`);

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

  it('the literal texts and the captures together are the path (S24)', () => {
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
