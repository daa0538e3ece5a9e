import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRules, type RuleFiles } from '../../src/rules/compile.ts';
import { NO_RULES, prepareRules } from '../../src/rules/prepare.ts';
import type { RuleMatch, SiteRules } from '../../src/rules/rules.ts';

const HOST = 'site.example';

function prepareSiteRules(redirects: string, ship?: Record<string, unknown>, headers?: string): SiteRules {
  const files: RuleFiles = { _redirects: new TextEncoder().encode(redirects) };
  if (ship) files['ship.json'] = ship;
  if (headers !== undefined) files._headers = new TextEncoder().encode(headers);
  return prepareRules(compileRules(files, ['index.html', 'page.html', 'logo.png'], () => {}));
}

const formatMatches = (matches: Iterable<RuleMatch>) =>
  Array.from(matches, ({ status, origin, path }) => `${status} ${origin ?? ''}/${path}`).join(', ');

describe('prepared rules (S26)', () => {
  it('return their matches in order, whether their patterns are literal or not', () => {
    const { whenMissing } = prepareSiteRules('/:a /1\n/x /2\n/* /3\n/x /4 302\n/y /5\n/:b /6\n/x/ /7');
    for (const path of ['x', 'x/'])
      expect(formatMatches(whenMissing.matches(path, HOST))).toBe('301 /1, 301 /2, 301 /3, 302 /4, 301 /6, 301 /7');
    expect(formatMatches(whenMissing.matches('y', HOST))).toBe('301 /1, 301 /3, 301 /5, 301 /6');
    for (const path of ['x/y', '']) expect(formatMatches(whenMissing.matches(path, HOST))).toBe('301 /3');
  });

  it('return the origin, path, query and fragment of the destination', () => {
    const { whenMissing } = prepareSiteRules('/a/* https://b.example/:splat/\u00e9?x=:splat#y 302');
    const address = { origin: 'https://b.example', path: 'b c/\u00e9', query: '?x=b%20c', fragment: '#y' };
    expect([...whenMissing.matches('a/b c', HOST)]).toEqual([{ status: 302, ...address, isFallback: false }]);
  });

  it.each([
    [true, ['/* /page 200', '/* /page.html 200', '/* / 200', '/a/* /:splat 200', '/* /logo.png 200']],
    [false, ['/:a /page 200', '/x /page 200', '/* /page 404', '/* /page 302']],
  ])('return matches with isFallback = %s for each of %j (S36)', (isFallback, lines) => {
    for (const line of lines) {
      const path = line.startsWith('/a/') ? 'a/x' : 'x';
      expect([...prepareSiteRules(line).whenMissing.matches(path, HOST)].map((match) => match.isFallback)).toEqual([
        isFallback,
      ]);
    }
  });

  it('of a host match only requests for this host (S30)', () => {
    const { whenMissing, dependOnHost } = prepareSiteRules(
      'https://www.b.example/* /1\n/* /2\nhttp://WWW.b.example/x /3\n/x /4',
    );
    expect(dependOnHost).toBe(true);
    expect(formatMatches(whenMissing.matches('x', 'www.b.example'))).toBe('301 /1, 301 /2, 301 /3, 301 /4');
    for (const host of ['b.example', 'www.b.example.org', 'ww.b.example'])
      expect(formatMatches(whenMissing.matches('x', host))).toBe('301 /2, 301 /4');
  });

  it('of a host with a placeholder match one label, and can insert the label (S30)', () => {
    const { forced, dependOnHost } = prepareSiteRules('https://:user.b.example/* https://b.example/:user/:splat 302!');
    expect(dependOnHost).toBe(true);
    expect(formatMatches(forced.matches('x/y', 'ada.b.example'))).toBe('302 https://b.example/ada/x/y');
    for (const host of ['b.example', 'a.b.b.example', 'ada.c.example', '*.c.example'])
      expect(formatMatches(forced.matches('x', host)), host).toBe('');
  });

  it('of a host with a placeholder stay on the host if they lead there (S28, S30)', () => {
    const { forced } = prepareSiteRules('https://:any.b.example/* https://www.b.example/:splat 301!');
    expect(formatMatches(forced.matches('x', 'www.b.example'))).toBe('301 /x');
    expect(formatMatches(forced.matches('x', 'old.b.example'))).toBe('301 https://www.b.example/x');
  });

  it('without a host do not depend on the host (S30)', () => {
    expect([NO_RULES.dependOnHost, prepareSiteRules('/a /b', {}, '/*\n  X-A: 1').dependOnHost]).toEqual([false, false]);
    expect(prepareSiteRules('', {}, 'https://b.example/*\n  X-A: 1').dependOnHost).toBe(true);
  });

  it('match nothing on a site without rules', () => {
    expect(prepareRules(null)).toBe(NO_RULES);
    for (const rules of [NO_RULES.forced, NO_RULES.whenMissing]) expect([...rules.matches('a', HOST)]).toEqual([]);
  });

  it('return the same matches with an index as when each rule is tried in order', () => {
    const segment = fc.constantFrom('a', 'b', ':p');
    const pattern = fc
      .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '/*', '*'))
      .map(
        ([segments, star]) =>
          `/${segments.map((text, n) => (text === ':p' ? `:p${n}` : text)).join('/')}`.replace(/\/$/, '') + star || '/',
      );
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), path, (patterns, path) => {
        const lines = patterns.map((from, n) => `${from.startsWith('/') ? from : `/${from}`} /to/${n}`);
        const oneByOne = lines.flatMap((line) => [...prepareSiteRules(line).whenMissing.matches(path, HOST)]);
        expect([...prepareSiteRules(lines.join('\n')).whenMissing.matches(path, HOST)]).toEqual(oneByOne);
      }),
    );
  });
});

describe('rules at every limit (S66)', () => {
  const arrayOf = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  const longestPath = 'a/'.repeat(512);
  const kinds: [string, (n: number) => string][] = [
    ['stars', (n) => `/section-${n}/*`],
    ['placeholders', (n) => `/:a/:b/:c/:d/${n}`],
    ['many placeholders', (n) => `/${arrayOf(7, (i) => `:${'abcdefg'[i]}`).join('/')}/${n}/*`],
    ['a long common prefix', (n) => `/${'a/'.repeat(25)}${n}/*`],
    ['a tail', (n) => `/*/a/a/${n}`],
  ];
  it.each(kinds)('match the same paths as a few rules, in patterns with %s', (_, pattern) => {
    const json = (n: number) => pattern(n).replace('*', '(.*)');
    const rules = prepareSiteRules(
      [...arrayOf(10_000, (n) => `/literal-${n} /page`), ...arrayOf(500, (n) => `${pattern(n)} /page`)].join('\n'),
      {
        redirects: arrayOf(2000, (n) => ({ source: json(n), destination: '/page' })),
        rewrites: arrayOf(500, (n) => ({ source: json(n), destination: '/page' })),
        headers: arrayOf(500, (n) => ({ source: json(n), headers: [{ key: 'X', value: '1' }] })),
      },
      arrayOf(500, (n) => `${pattern(n)}\nX-A: 1`).join('\n'),
    );
    const answer = { kind: 'file', host: HOST, onPlatformDomain: false, anonymous: false, isProtected: false } as const;
    for (const path of [longestPath, longestPath.slice(0, -1), 'literal-9999', 'section-499/x']) {
      const matchCounts = arrayOf(
        500,
        (n) => [...prepareSiteRules(`${pattern(n)} /page`).whenMissing.matches(path, HOST)].length,
      );
      const expectedMatchCount = matchCounts.reduce((sum, found) => sum + found, 0);
      const literal = path === 'literal-9999' ? 1 : 0;
      expect([...rules.forced.matches(path, HOST)]).toHaveLength(expectedMatchCount);
      expect([...rules.whenMissing.matches(path, HOST)]).toHaveLength(2 * expectedMatchCount + literal);
      const fields = rules.headers.apply(path, [], answer).map(([name]) => name);
      expect(fields).toEqual(expectedMatchCount === 0 ? [] : ['X-A', 'X']);
    }
  });
});
