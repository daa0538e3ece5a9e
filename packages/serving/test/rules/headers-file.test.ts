import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_HEADERS_BYTES, readHeadersFile } from '../../src/rules/headers-file.ts';
import { collectWarnings, formatHeaders } from './rule-texts.ts';
import { CLOUDFLARE_HEADERS, NETLIFY_HEADERS } from './tables/rule-files.ts';

function read(text: string) {
  const { warn, warnings } = collectWarnings();
  const blocks = readHeadersFile(new TextEncoder().encode(text), warn);
  return {
    blocks,
    warnings,
    results: [...blocks.map(({ rule }) => formatHeaders(rule)), ...warnings.map(() => 'fault')],
  };
}

describe.each([
  ['netlify/build', NETLIFY_HEADERS],
  ['cloudflare/workers-sdk', CLOUDFLARE_HEADERS],
])('the rules and faults in the test files of %s (S23, S33)', (_, files) => {
  it.each(files.map(([title, text, theirs, ours = theirs]) => [title, text, ours]))('are read: %s', (_, text, ours) => {
    expect(read(text!).results.join(' | ')).toBe(ours);
  });
});

describe('a line of _headers (S33, S34)', () => {
  it.each([
    ['X-A: 1', '/*: X-A=1'],
    ['X-A: a#b: "c" /d', '/*: X-A=a#b: "c" /d'],
    [
      "Content-Security-Policy: default-src 'self'; img-src *",
      "/*: Content-Security-Policy=default-src 'self'; img-src *",
    ],
    ['! Referrer-Policy', '/*: -Referrer-Policy'],
    ['!\tCache-Control', '/*: -Cache-Control'],
  ])('such as %j is read as %s', (line, expected) => {
    expect(read(`/*\n  ${line}`).results).toEqual([expected]);
  });

  it.each([
    ['name', ['X A: 1', 'X-\u00c4: 1', '! ', '! ETag', 'ETag: "x"']],
    ['value', ['X-A:', 'X-A: \u00e4', 'X-A: a\tb', 'X-A: a\u0000b', 'X-A: a\rX-B: 1']],
  ])('with an invalid %s is skipped, such as each of %j', (_, lines) => {
    for (const line of lines) expect(read(`/*\n  ${line}`).results, line).toEqual(['fault']);
  });

  it('with a fault is reported with its number and a hint (S23)', () => {
    expect(read('\ufeff/*\n  X-A: 1\n  nonsense\n').warnings).toEqual([
      '3: Skipped: a line must be Name: value, or ! Name to remove a header; this is "nonsense".',
    ]);
  });

  it('with an invalid path is skipped with its own headers only (S23)', () => {
    const { results, warnings } = read('/a\n  X-A: 1\n/b{c}\n  X-B: 2\n  nonsense\n/c\n  X-C: 3');
    expect([results, warnings]).toEqual([
      ['/a: X-A=1', '/c: X-C=3', 'fault'],
      [expect.stringMatching(/^3: .*headers.*%7B/)],
    ]);
  });
});

describe('_headers of other hosts (S23, S35)', () => {
  it('can set X-Content-Type-Options: nosniff, which every response has, without a warning', () => {
    expect(read('/*\n  X-Content-Type-Options: nosniff\n  x-content-type-options:NoSniff\n  X-A: 1')).toMatchObject({
      results: ['/*: X-A=1'],
      warnings: [],
    });
    for (const line of ['X-Content-Type-Options: none', '! X-Content-Type-Options'])
      expect(read(`/*\n  ${line}`).results, line).toEqual(['fault']);
  });

  it.each([
    ['*/sw.js', '/*/sw.js'],
    ['*.js', '/*.js'],
    ['*', '/*'],
  ])('can have the path %s, which is read as %s with a warning', (path, expected) => {
    const { blocks, warnings } = read(`${path}\n  X-A: 1`);
    expect(blocks.map(({ rule }) => formatHeaders(rule))).toEqual([`${expected}: X-A=1`]);
    expect(warnings).toEqual([`1: Read as "${expected}": a path must start with a slash.`]);
  });
});

describe('values of _headers that contradict each other (S33)', () => {
  it.each<[string, text: string, warnings: string[]]>([
    [
      'two values of a header that has one',
      '/*\nX-Frame-Options: DENY\nx-frame-options: SAMEORIGIN',
      ['3: Replaces the value above: a response has only one x-frame-options.'],
    ],
    ['one value twice', '/*\nX-Frame-Options: DENY\nX-Frame-Options: DENY', []],
    ['a value after a removal', '/*\nX-Frame-Options: DENY\n! X-Frame-Options\nX-Frame-Options: SAMEORIGIN', []],
    ['the directives of Cache-Control on two lines', '/*\nCache-Control: public\nCache-Control: max-age=1', []],
    [
      'two policies for one path',
      "/a\nContent-Security-Policy: img-src *\n/a/\nContent-Security-Policy: img-src 'none'",
      ['3: Adds a second content-security-policy besides the one on line 1, and browsers enforce both.'],
    ],
    [
      'a policy for all files after one for a path',
      "/a\nContent-Security-Policy: img-src *\n/*\nContent-Security-Policy: img-src 'none'",
      ['3: Adds a second content-security-policy'],
    ],
    [
      'a policy that replaces another',
      "/*\nContent-Security-Policy: img-src *\n/a\n! Content-Security-Policy\nContent-Security-Policy: img-src 'none'",
      [],
    ],
    ['equal policies', '/*\nContent-Security-Policy: img-src *\n/a\nContent-Security-Policy: img-src *', []],
    [
      'policies for different paths',
      "/a\nContent-Security-Policy: img-src *\n/b\nContent-Security-Policy: img-src 'none'",
      [],
    ],
  ])('are reported: %s', (_, text, warnings) => {
    expect(read(text).warnings).toEqual(warnings.map((start) => expect.stringContaining(start)));
  });
});

describe('the limits of _headers (S65)', () => {
  const blockOf = (n: number) => `/a${n}\n  X-A: 1\n`;

  it('allow 500 blocks, with one warning for further blocks', () => {
    const { blocks, warnings } = read(Array.from({ length: 510 }, (_, n) => blockOf(n)).join(''));
    expect([blocks.length, warnings]).toEqual([500, [expect.stringMatching(/^1001: .*500/)]]);
  });

  it('allow 50 headers in a block, with one warning for further headers', () => {
    const { blocks, warnings } = read(`/a\n${'X-A: 1\n'.repeat(60)}/b\nX-B: 1`);
    expect(blocks.map(({ rule }) => rule.steps.length)).toEqual([50, 1]);
    expect(warnings).toEqual([expect.stringMatching(/^52: .*50/)]);
  });

  it('allow 2,000 characters in a line', () => {
    expect(read(`/a\nX-A: ${'1'.repeat(1995)}`).warnings).toEqual([]);
    expect(read(`/a\nX-A: ${'1'.repeat(1996)}`).warnings).toEqual([expect.stringMatching(/^2: .*2000/)]);
  });

  it('allow 256 KiB, with one warning for further bytes', () => {
    const text = `/a\nX-A: 1\n${`#${'x'.repeat(510)}\n`.repeat(600)}`;
    const { results, warnings } = read(`${text}/b\nX-B: 1`);
    expect([results, warnings]).toEqual([['/a: X-A=1', 'fault'], [expect.stringContaining(String(MAX_HEADERS_BYTES))]]);
  });
});

it('a path without a slash that cannot be read either has one warning (S23)', () => {
  expect(read('*?\n  X-A: 1').warnings).toEqual([expect.stringMatching(/^1: Skipped this path with its headers: /)]);
});

it('readHeadersFile parses any text without an error (S23)', () => {
  const line = fc.oneof(fc.constantFrom('/a', '/*', '! X', 'X: 1', '#', ':', '/:a/*.js', 'https://a.b'), fc.string());
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      expect(read(lines.join('\n')).results.length).toBeLessThanOrEqual(lines.join('\n').split('\n').length);
    }),
  );
});
