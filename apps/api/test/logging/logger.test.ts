import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/logging/hide-secrets.ts';
import { LINE_BYTES } from '../../src/logging/clean-line.ts';
import { createLogger } from '../../src/logging/logger.ts';

const HEX_DIGITS = '8f1c6bd0a94e2735cc58f0471e9b3d62';
const SECRETS = [`ship-${HEX_DIGITS}`, `deploy-${HEX_DIGITS}`, `/claim/${HEX_DIGITS}`];
// Characters that a log line must not contain: control characters, format characters and line separators.
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

/** Logs with a new logger. @returns The lines without their line breaks. */
function linesOf(logWith: (log: ReturnType<typeof createLogger>) => void, level: 'info' | 'warn' = 'info'): string[] {
  let writtenLines = '';
  logWith(createLogger({ level, destination: { write: (line) => void (writtenLines += line) } }));
  return writtenLines.split('\n').slice(0, -1);
}

function lineOf(fields: object, message = 'message'): string {
  const lines = linesOf((log) => log.info(fields, message));
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe('a log line', () => {
  it('is one JSON object with the level, the time, the fields and the message', () => {
    const entry = JSON.parse(lineOf({ requestId: 'r1', status: 200 }, 'request'));
    expect(entry).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      requestId: 'r1',
      status: 200,
      msg: 'request',
    });
  });

  it('is not written below the level of the logger', () => {
    expect(linesOf((log) => log.info({}, 'hidden'), 'warn')).toEqual([]);
    expect(linesOf((log) => log.warn({}, 'shown'), 'warn')).toHaveLength(1);
  });

  it.each([
    ['CR and LF', 'a\r\n{"level":"fatal","msg":"forged"}'],
    ['ANSI escape sequences', '\u001b[2J\u001b[31mred\u001b]0;title\u0007'],
    ['C1 controls and DEL', '\u009b31m\u0085\u007f'],
    ['line separators', 'a\u2028b\u2029c'],
    ['bidirectional controls', 'a\u202eb\u2066c\u200f'],
    ['NUL', 'a\u0000b'],
  ])('T38: escapes %s everywhere, and parsing returns the original text', (_, text) => {
    const line = lineOf({ field: text, [text]: 1, list: [text], nested: { deep: text } }, text);
    expect(line).not.toMatch(UNSAFE_CHARACTERS);
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      field: text,
      [text]: 1,
      list: [text],
      nested: { deep: text },
      msg: text,
    });
  });

  it.each([
    ['a field', { path: 'x'.repeat(20_000) }],
    ['every field', Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`field${i}`, 'é'.repeat(20_000)]))],
    ['controls, which grow when escaped', { path: '\u0000'.repeat(20_000), host: '\u202e'.repeat(20_000) }],
    ['quotes and backslashes', { path: '"\\'.repeat(10_000) }],
    ['a name of a field', { ['n'.repeat(20_000)]: 1 }],
    ['many fields', Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field${i}`, i]))],
    ['a list', { list: Array.from({ length: 20_000 }, () => 'item') }],
    ['a deep list', { list: Array.from({ length: 200 }, () => Array.from({ length: 100 }, () => 'item')) }],
    ['an error', { err: new Error('e'.repeat(20_000)) }],
    ['surrogate pairs where the text is cut', { path: '😀'.repeat(10_000) }],
  ])('T38: remains JSON and at most 4 KB long, even with 20 KB in %s', (_, fields) => {
    const line = lineOf(fields, 'm'.repeat(20_000));
    expect(Buffer.byteLength(line) + 1).toBeLessThanOrEqual(LINE_BYTES);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: expect.stringMatching(/^m+…$/) });
    expect(line).not.toMatch(UNSAFE_CHARACTERS);
  });

  it('keeps the short fields when a long field is cut', () => {
    const entry = JSON.parse(lineOf({ path: 'x'.repeat(20_000), status: 404, address: '203.0.113.9' }));
    expect(entry).toMatchObject({ status: 404, address: '203.0.113.9', path: expect.stringMatching(/^x{1024}…$/) });
  });

  it.each(SECRETS)('T20: contains no secret such as %s, in whatever field it was logged', (secret) => {
    const err = Object.assign(new Error(`failed for ${secret}\n${secret}`), { query: secret });
    const line = lineOf(
      { err, path: `\n${secret}`, [secret]: 1, list: [secret], nested: { deep: { deeper: secret } } },
      `${secret}${secret}`,
    );
    expect(line).not.toContain(HEX_DIGITS);
    expect(JSON.parse(line)).toMatchObject({ level: 'info' });
  });

  it('T20: contains no part of a secret that was cut', () => {
    for (let bytesBefore = 1_000; bytesBefore < 1_030; bytesBefore += 1) {
      const line = lineOf({ path: `${'x'.repeat(bytesBefore)}ship-${HEX_DIGITS}${'y'.repeat(9_000)}` });
      expect(line).not.toContain(HEX_DIGITS.slice(0, 8));
    }
  });

  it('T38: contains no value of an Authorization or Cookie header', () => {
    const headers = {
      Authorization: 'Bearer marker',
      cookie: 'a="marker"; b=marker',
      'set-cookie': ['c=marker', 'd=marker'],
      'Proxy-Authorization': 'Basic marker',
    };
    const rawHeaders = ['Authorization', 'Bearer marker', 'Set-Cookie', 'c=marker', 'Set-Cookie', 'd="marker"'];
    const line = lineOf({ headers, rawHeaders });
    expect(line).not.toContain('marker');
    expect(JSON.parse(line).headers.Authorization).toBe('[hidden]');
  });

  it('T38: is valid JSON for any logged value', () => {
    const anyObject = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(anyObject, fc.string({ unit: 'binary', maxLength: 3_000 }), (fields, message) => {
        const line = lineOf({ fields }, message);
        expect(Buffer.byteLength(line)).toBeLessThan(LINE_BYTES);
        expect(typeof JSON.parse(line)).toBe('object');
      }),
      { numRuns: 300 },
    );
  });
});

const percentEncoded = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

describe('hideSecrets', () => {
  it.each([
    `ship-${HEX_DIGITS}`,
    `deploy-${HEX_DIGITS}`,
    `my_ship-${HEX_DIGITS}`,
    `SHIP-${HEX_DIGITS.toUpperCase()}`,
    `deploy-${HEX_DIGITS}deploy-${HEX_DIGITS}`,
    `/claim/${HEX_DIGITS}`,
    `https://console.example/c/${HEX_DIGITS}?next=1`,
    `?next=%2Fclaim%2F${HEX_DIGITS}&b`,
    `/tokens/%73hip-${HEX_DIGITS}`,
    `/tokens/ship%2D${HEX_DIGITS}`,
    `/tokens/deploy-${percentEncoded(HEX_DIGITS)}`,
    `/tokens/${percentEncoded(`ship-${HEX_DIGITS}`)}`,
    `/tokens/${percentEncoded(percentEncoded(`ship-${HEX_DIGITS}`))}`,
    `/cl%61im/${percentEncoded(HEX_DIGITS)}`,
    JSON.stringify({ claim: HEX_DIGITS }),
    JSON.stringify(`line\nship-${HEX_DIGITS}\tdeploy-${HEX_DIGITS}\n/claim/${HEX_DIGITS}\n`),
  ])('T20: hides every secret in %s', (text) => {
    const hiddenText = hideSecrets(text);
    expect(hiddenText).not.toContain(HEX_DIGITS);
    expect(hiddenText.toLowerCase()).not.toContain(HEX_DIGITS);
    expect(decodeURIComponent(decodeURIComponent(hiddenText)).toLowerCase()).not.toContain(HEX_DIGITS);
    expect(hiddenText).toContain('[hidden]');
  });

  it.each([
    `/assets/${HEX_DIGITS}.js`,
    `/${HEX_DIGITS}-1/x`,
    HEX_DIGITS,
    `sha256/${HEX_DIGITS}${HEX_DIGITS}`,
    'ship-it',
    'deploy-8f1c',
    '/a%41%0d%25%zz%',
  ])('does not change %s', (text) => {
    expect(hideSecrets(text)).toBe(text);
  });

  it('keeps JSON valid', () => {
    const text = JSON.stringify({ a: `x"\\ship-${HEX_DIGITS}"`, b: [`/claim/${HEX_DIGITS}`] });
    expect(JSON.parse(hideSecrets(text))).toEqual({ a: 'x"\\ship-[hidden]"', b: ['/claim/[hidden]'] });
  });
});
