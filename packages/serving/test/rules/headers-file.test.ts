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
])('the files of %s (S23, S33)', (_, files) => {
  it.each(files.map(([title, text, theirs, ours = theirs]) => [title, text, ours]))('%s', (_, text, ours) => {
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
  ])('%j is %s', (line, expected) => {
    expect(read(`/*\n  ${line}`).results).toEqual([expected]);
  });

  it.each([
    ['the name', ['X A: 1', 'X-\u00c4: 1', '! ', '! ETag', 'ETag: "x"']],
    ['the value', ['X-A:', 'X-A: \u00e4', 'X-A: a\tb', 'X-A: a\u0000b', 'X-A: a\rX-B: 1']],
  ])('with a fault in %s: %j', (_, lines) => {
    for (const line of lines) expect(read(`/*\n  ${line}`).results, line).toEqual(['fault']);
  });

  it('a fault is reported with its line and a hint (S23)', () => {
    expect(read('\ufeff/*\n  X-A: 1\n  nonsense\n').warnings).toEqual([
      '3: Skipped: a line must be Name: value, or ! Name to remove a header; this is "nonsense".',
    ]);
  });

  it('an invalid path skips only its own headers (S23)', () => {
    const { results, warnings } = read('/a\n  X-A: 1\n/b{c}\n  X-B: 2\n  nonsense\n/c\n  X-C: 3');
    expect([results, warnings]).toEqual([
      ['/a: X-A=1', '/c: X-C=3', 'fault'],
      [expect.stringMatching(/^3: .*headers.*%7B/)],
    ]);
  });
});

describe('the limits of _headers (S65)', () => {
  const block = (n: number) => `/a${n}\n  X-A: 1\n`;

  it('500 blocks are accepted, with one warning for the rest', () => {
    const { blocks, warnings } = read(Array.from({ length: 510 }, (_, n) => block(n)).join(''));
    expect([blocks.length, warnings]).toEqual([500, [expect.stringMatching(/^1001: .*500/)]]);
  });

  it('50 headers per block are accepted, with one warning for the rest', () => {
    const { blocks, warnings } = read(`/a\n${'X-A: 1\n'.repeat(60)}/b\nX-B: 1`);
    expect(blocks.map(({ rule }) => rule.steps.length)).toEqual([50, 1]);
    expect(warnings).toEqual([expect.stringMatching(/^52: .*50/)]);
  });

  it('2,000 characters per line are accepted', () => {
    expect(read(`/a\nX-A: ${'1'.repeat(1995)}`).warnings).toEqual([]);
    expect(read(`/a\nX-A: ${'1'.repeat(1996)}`).warnings).toEqual([expect.stringMatching(/^2: .*2000/)]);
  });

  it('256 KiB are read, with one warning for the rest', () => {
    const text = `/a\nX-A: 1\n${`#${'x'.repeat(510)}\n`.repeat(600)}`;
    const { results, warnings } = read(`${text}/b\nX-B: 1`);
    expect([results, warnings]).toEqual([['/a: X-A=1', 'fault'], [expect.stringContaining(String(MAX_HEADERS_BYTES))]]);
  });
});

it('parses any text without an error (S23)', () => {
  const line = fc.oneof(fc.constantFrom('/a', '/*', '! X', 'X: 1', '#', ':', '/:a/*.js', 'https://a.b'), fc.string());
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      expect(read(lines.join('\n')).results.length).toBeLessThanOrEqual(lines.join('\n').split('\n').length);
    }),
  );
});
