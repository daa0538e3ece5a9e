import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRoleCondition, MAX_REDIRECTS_BYTES, readRedirectsFile } from '../../src/rules/redirects-file.ts';
import { collectWarnings, formatRule } from './rule-texts.ts';
import { CLOUDFLARE_REDIRECTS, NETLIFY_REDIRECTS } from './tables/rule-files.ts';

function read(text: string | Uint8Array) {
  const { warn, warnings } = collectWarnings();
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const { forced, whenMissing } = readRedirectsFile(bytes, warn);
  const placedRules = [
    ...forced.map(({ rule, position }) => ({ line: position.line!, text: `!${formatRule(rule)}` })),
    ...whenMissing.map(({ rule, position }) => ({ line: position.line!, text: formatRule(rule) })),
  ];
  const skipWarnings = warnings.filter((warning) => warning.includes('Skipped'));
  const faults = skipWarnings.map((warning) => ({ line: Number.parseInt(warning, 10), text: 'fault' }));
  const results = [...placedRules, ...faults].toSorted((a, b) => a.line - b.line).map((each) => each.text);
  return { results, warnings, forced, whenMissing };
}

describe.each([
  ['netlify/build', NETLIFY_REDIRECTS],
  ['cloudflare/workers-sdk', CLOUDFLARE_REDIRECTS],
])('the rules and faults in the test files of %s (S23 to S30)', (_, files) => {
  it.each(files.map(([title, text, theirs, ours = theirs]) => [title, text, ours]))('are read: %s', (_, text, ours) => {
    expect(read(text!).results.join(' | ')).toBe(ours);
  });
});

describe('a line of _redirects (S25)', () => {
  it.each<readonly [line: string, result: string]>([
    ['/a /b', '/a -> 301 /b'],
    ...[200, 301, 302, 303, 307, 308, 404].map((code) => [`/a /b ${code}`, `/a -> ${code} /b`] as const),
    ['/a /b 302!', '!/a -> 302 /b'],
    ['/a /b 404!', '!/a -> 404 /b'],
    ['/* /index.html 200', '/* -> 200 /index.html'],
    ['/* /404.html 404', '/* -> 404 /404.html'],
    ['/a\t/b\t302', '/a -> 302 /b'],
    ['/a /b 302\r', '/a -> 302 /b'],
    ['/a /b 302 #!', '/a -> 302 /b'],
    ['/a /b # 302', '/a -> 301 /b'],
    ['https://www.b.example/* https://b.example/:splat 301!', '!//www.b.example/* -> 301 https://b.example/{0}'],
    ['http://B\u00fccher.example /new', '//xn--bcher-kva.example/ -> 301 /new'],
    ['https://b.example/old https://b.example/new 302', '//b.example/old -> 302 /new'],
    ['http://b.example/* https://b.example/:splat', '//b.example/* -> 301 /{0}'],
    ['https://:user.b.example/* https://b.example/:user/:splat', '//*.b.example/* -> 301 https://b.example/{0}/{1}'],
    ['https://:a.:b.b.example/x/:c /:c/:a/:b 302', '//*.*.b.example/x/: -> 302 /{2}/{0}/{1}'],
    ['https://:sub.b\u00fccher.example /new', '//*.xn--bcher-kva.example/ -> 301 /new'],
    ['https://b.example/* /index.html 200', '//b.example/* -> 200 /index.html'],
  ])('such as %j is read as %s', (line, expected) => {
    expect(read(line).results).toEqual([expected]);
  });

  it.each([
    ['a bad code', ['/a /b 2000', '/a /b 304', '/a /b 300', '/a /b 500', '/a /b 301!!', '/a /b ! 301', '/a /b +301']],
    ['a missing destination', ['/a 301', '/a', '/a # /b', '/a#x /b']],
    ['a condition', ['/a /b 301 Cookie=x', '/a /b Language=de', '/a ?x=1 /b']],
    [
      'an invalid host',
      ['https://w-:name.b.example/* /a', 'https://b.example:81/ /a', 'https://*.b.example/ /a', 'ftp://b.example/ /a'],
    ],
    [
      'a host without a name or a dot',
      ['https://u@b.example/ /a', 'https://localhost/ /a', 'https:// /a', '//b.example /a'],
    ],
    [
      'a name that is used twice',
      ['https://:a.:a.b.example/ /a', 'https://:a.b.example/:a /a', 'https://:splat.b.example/* /a'],
    ],
    ['too many placeholders', [`https://${':a.:b.:c.:d'}.b.example/:e/:f/:g/:h/:i /a`]],
    [
      'an address of another service',
      ['https://blog.netlify.app/* /a', 'https://:project.pages.dev/* /a', 'http://a.github.io /a'],
    ],
    ['an invalid destination', ['/a //b.example', '/a https://b.example 404', '/a https://b.example 200!']],
  ])('with %s is skipped, such as each of %j', (_, lines) => {
    for (const line of lines) expect(read(line).results, line).toEqual(['fault']);
  });

  it('with a fault is reported with its number and a hint, and a byte-order mark is skipped (S22, S23)', () => {
    expect(read('\ufeff/a /b\n\n# x\n/c /d 300\n/e /f\n')).toMatchObject({
      results: ['/a -> 301 /b', 'fault', '/e -> 301 /f'],
      warnings: ['4: Skipped: the code must be one of 200, 301, 302, 303, 307, 308, 404, with a ! to force it.'],
    });
  });

  it.each([
    ['/* index.html 200', '/* -> 200 /index.html', '/index.html'],
    ['/old new', '/old -> 301 /new', '/new'],
    ['/old/* new/:splat', '/old/* -> 301 /new/{0}', '/new/:splat'],
    ['old /new', '/old -> 301 /new', '/old'],
    ['*/feed /feed.xml', '/*/feed -> 301 /feed.xml', '/*/feed'],
  ])('without the first slash of a path is read as if it had one, with a warning: %s', (line, rule, path) => {
    const warning = `1: Read as "${path}": a path must start with a slash.`;
    expect(read(line)).toMatchObject({ warnings: [warning], results: [rule] });
  });

  it('without the first slash of a path is skipped if the path may be a host', () => {
    for (const line of ['/a b.example', '/a b.example/x 301', 'a.example /b', 'localhost:1 /b', '/a javascript:x 200'])
      expect(read(line).results, line).toEqual(['fault']);
  });

  it('with bytes that are not UTF-8 is skipped without effect on other lines (S23)', () => {
    expect(read(Buffer.from('/a /b\n/c\xff /d\n/e /f', 'latin1')).results).toEqual([
      '/a -> 301 /b',
      'fault',
      '/e -> 301 /f',
    ]);
  });
});

describe('the search for a Role condition in _redirects (S23)', () => {
  const findCondition = (text: string) => findRoleCondition(new TextEncoder().encode(text));
  it.each([
    '/admin/* /admin/:splat 200 Role=admin',
    '/admin/* /admin/:splat 200! Country=de Role=admin,editor',
    '/admin/* 200! Role=admin',
    '/admin /login 302 role=admin # only for them',
    '/admin id=:id /admin/:id 200 Role=admin',
    '/admin/* /a{b} 999 Role=admin',
  ])('finds the condition in %s', (line) => {
    expect(findCondition(`# x\n/a /b\n${line}`)).toBe(3);
  });
  it.each([
    '/admin /login?role=admin',
    '/admin role=:role /admin/:role',
    '/admin /login 302 # Role=admin',
    '# /admin /login 302 Role=admin',
    '/role=admin /login 302',
    '/admin /login 302 Language=de',
  ])('does not find the condition in %s', (line) => {
    expect(findCondition(line)).toBeNull();
  });
});

describe('the limits of _redirects (S65)', () => {
  const lines = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  it('allow 10,000 literal lines and 500 other lines, with one warning for further lines of each kind', () => {
    const text = `${lines(10_001, (n) => `/a${n} /b`)}\n${lines(502, (n) => `/c${n}/* /d`)}\n/too-late /b`;
    const { whenMissing, warnings } = read(text);
    expect(whenMissing).toHaveLength(10_500);
    expect(warnings).toEqual([expect.stringMatching(/^10001: .*10000/), expect.stringMatching(/^10502: .*500/)]);
  });

  it('allow 2,000 characters in a line', () => {
    const line = (length: number) => `/a /${'b'.repeat(length - 4)}`;
    expect(read(line(2000)).whenMissing).toHaveLength(1);
    expect(read(`${line(2001)}\n/c /d`)).toMatchObject({
      results: ['fault', '/c -> 301 /d'],
      warnings: [expect.stringContaining('2000')],
    });
    expect(read(`#${'x'.repeat(5000)}`).warnings).toEqual([]);
  });

  it('allow 1 MiB, of which an incomplete last line is skipped', () => {
    const comment = (bytes: number) => `${`#${'x'.repeat(998)}\n`.repeat(2000)}`.slice(0, bytes - 1) + '\n';
    const fittingFile = `${comment(MAX_REDIRECTS_BYTES - 5)}/a /b`;
    expect(read(fittingFile)).toMatchObject({ results: ['/a -> 301 /b'], warnings: [] });
    const { results, warnings } = read(`${fittingFile}bc 302`);
    expect([results, warnings]).toEqual([['fault'], [expect.stringContaining(String(MAX_REDIRECTS_BYTES))]]);
  });
});

it('readRedirectsFile parses any text without an error, and each line at most once (S23)', () => {
  const word = fc.oneof(
    fc.constantFrom('/a', '/:b', '/*', '301', '200!', '#', 'x=y', 'https://a.b', '\n', ''),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join(' ');
      expect(read(text!).results.length).toBeLessThanOrEqual(text.split('\n').length);
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void read(bytes)));
});
