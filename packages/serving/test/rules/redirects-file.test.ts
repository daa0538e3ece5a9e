import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_REDIRECTS_BYTES, readRedirectsFile } from '../../src/rules/redirects-file.ts';
import { collectWarnings, formatRule } from './rule-texts.ts';
import { CLOUDFLARE_REDIRECTS, NETLIFY_REDIRECTS } from './tables/rule-files.ts';

function read(text: string | Uint8Array) {
  const { warn, warnings } = collectWarnings();
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const { forced, whenMissing } = readRedirectsFile(bytes, warn);
  const placed = [
    ...forced.map(({ rule, position }) => ({ line: position.line!, text: `!${formatRule(rule)}` })),
    ...whenMissing.map(({ rule, position }) => ({ line: position.line!, text: formatRule(rule) })),
  ];
  const faults = warnings.map((warning) => ({ line: Number.parseInt(warning, 10), text: 'fault' }));
  const results = [...placed, ...faults].toSorted((a, b) => a.line - b.line).map((each) => each.text);
  return { results, warnings, forced, whenMissing };
}

describe.each([
  ['netlify/build', NETLIFY_REDIRECTS],
  ['cloudflare/workers-sdk', CLOUDFLARE_REDIRECTS],
])('the files of %s (S23 to S30)', (_, files) => {
  it.each(files.map(([title, text, theirs, ours = theirs]) => [title, text, ours]))('%s', (_, text, ours) => {
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
  ])('%j is %s', (line, expected) => {
    expect(read(line).results).toEqual([expected]);
  });

  it.each([
    ['the code', ['/a /b 2000', '/a /b 304', '/a /b 300', '/a /b 500', '/a /b 301!!', '/a /b ! 301', '/a /b +301']],
    ['a missing destination', ['/a 301', '/a', '/a # /b', '/a#x /b']],
    ['a condition', ['/a /b 301 Cookie=x', '/a /b Language=de', '/a ?x=1 /b']],
    ['the destination', ['/a //b.example', '/a https://b.example 404', '/a https://b.example 200!']],
  ])('with a fault in %s: %j', (_, lines) => {
    for (const line of lines) expect(read(line).results, line).toEqual(['fault']);
  });

  it('a fault is reported with its line and a hint, and a byte-order mark is skipped (S22, S23)', () => {
    expect(read('\ufeff/a /b\n\n# x\n/c /d 300\n/e /f\n')).toMatchObject({
      results: ['/a -> 301 /b', 'fault', '/e -> 301 /f'],
      warnings: ['4: Skipped: the code must be one of 200, 301, 302, 303, 307, 308, 404, with a ! to force it.'],
    });
  });

  it('bytes that are not UTF-8 only invalidate their line (S23)', () => {
    expect(read(Buffer.from('/a /b\n/c\xff /d\n/e /f', 'latin1')).results).toEqual([
      '/a -> 301 /b',
      'fault',
      '/e -> 301 /f',
    ]);
  });
});

describe('the limits of _redirects (S65)', () => {
  const lines = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n');

  it('10,000 literal lines and 500 others are accepted, with one warning for the rest of each', () => {
    const text = `${lines(10_001, (n) => `/a${n} /b`)}\n${lines(502, (n) => `/c${n}/* /d`)}\n/too-late /b`;
    const { whenMissing, warnings } = read(text);
    expect(whenMissing).toHaveLength(10_500);
    expect(warnings).toEqual([expect.stringMatching(/^10001: .*10000/), expect.stringMatching(/^10502: .*500/)]);
  });

  it('a line of 2,000 characters is accepted', () => {
    const line = (length: number) => `/a /${'b'.repeat(length - 4)}`;
    expect(read(line(2000)).whenMissing).toHaveLength(1);
    expect(read(`${line(2001)}\n/c /d`)).toMatchObject({
      results: ['fault', '/c -> 301 /d'],
      warnings: [expect.stringContaining('2000')],
    });
    expect(read(`#${'x'.repeat(5000)}`).warnings).toEqual([]);
  });

  it('1 MiB is read, and its last line only if it is complete', () => {
    const comment = (bytes: number) => `${`#${'x'.repeat(998)}\n`.repeat(2000)}`.slice(0, bytes - 1) + '\n';
    const fits = `${comment(MAX_REDIRECTS_BYTES - 5)}/a /b`;
    expect(read(fits)).toMatchObject({ results: ['/a -> 301 /b'], warnings: [] });
    const { results, warnings } = read(`${fits}bc 302`);
    expect([results, warnings]).toEqual([['fault'], [expect.stringContaining(String(MAX_REDIRECTS_BYTES))]]);
  });
});

it('parses any text without an error, and each line at most once (S23)', () => {
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
