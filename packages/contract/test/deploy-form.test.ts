import { describe, expect, it } from 'vitest';
import { Checksums, MAX_TTL_SECONDS, normalizeVia, Password, Ttl } from '../src/deploy-form.ts';

describe('api §1: a site password', () => {
  it.each([
    ['secret', 'secret'],
    ['  secret\t\n', 'secret'],
    ['with spaces inside', 'with spaces inside'],
    ['cafe\u0301 noir', 'caf\u00e9 noir'],
    ['\u{1f600}'.repeat(6), '\u{1f600}'.repeat(6)],
    ['\u{1f600}'.repeat(128), '\u{1f600}'.repeat(128)],
    ['a'.repeat(128), 'a'.repeat(128)],
    [` ${'a'.repeat(128)} `, 'a'.repeat(128)],
    ['e\u0301'.repeat(128), '\u00e9'.repeat(128)],
  ])('accepts %j and stores it as %j', (text, password) => {
    expect(Password.parse(text)).toBe(password);
  });

  it.each([
    [''],
    ['short'],
    ['   short   '],
    ['      '],
    ['\u{1f600}'.repeat(5)],
    ['e\u0301'.repeat(5)],
    ['a'.repeat(129)],
    [123456],
    [null],
  ])('refuses %j', (text) => {
    expect(Password.safeParse(text).success).toBe(false);
  });
});

describe('api §3: ttl', () => {
  it.each([[1], [60], [MAX_TTL_SECONDS]])('accepts %s', (seconds) => {
    expect(Ttl.parse(seconds)).toBe(seconds);
  });

  it.each([
    [0, 'ttl must be at least 1 second'],
    [-1, 'ttl must be at least 1 second'],
    [MAX_TTL_SECONDS + 1, 'ttl must be at most 365 days'],
    [1.5, 'ttl must be whole seconds'],
    [Number.NaN, 'ttl must be whole seconds'],
    [Number.POSITIVE_INFINITY, 'ttl must be whole seconds'],
    ['60', 'ttl must be whole seconds'],
  ])('refuses %s: %s', (seconds, message) => {
    expect(Ttl.safeParse(seconds).error?.issues[0]?.message).toBe(message);
  });

  it('can be as long as 365 days', () => {
    expect(MAX_TTL_SECONDS).toBe(31_536_000);
  });
});

describe('api §1: via is never an error', () => {
  it.each([
    ['cli', 'cli'],
    ['Desktop', 'desktop'],
    ['a.b_c-1', 'a.b_c-1'],
    ['a'.repeat(32), 'a'.repeat(32)],
    ['a'.repeat(33), 'api'],
    ['', 'api'],
    [undefined, 'api'],
    ['two words', 'api'],
    ['cli\n', 'api'],
    ['<script>', 'api'],
    ['dé', 'api'],
  ])('stores %j as %s', (text, via) => {
    expect(normalizeVia(text)).toBe(via);
  });
});

describe('api §3: checksums', () => {
  const md5 = '0123456789abcdef0123456789abcdef';
  it('accepts 32 hex digits each, in any case, and reads them as lower case', () => {
    expect(Checksums.parse([md5, md5.toUpperCase()])).toEqual([md5, md5]);
    expect(Checksums.parse([])).toEqual([]);
  });

  it.each([
    [[md5.slice(1)]],
    [[`${md5}0`]],
    [[`${md5}\n`]],
    [['g'.repeat(32)]],
    [[null]],
    [[1]],
    [md5],
    [{}],
    [null],
    [{ length: 0 }],
    [[[md5]]],
  ])('refuses %j', (value) => {
    expect(Checksums.safeParse(value).success).toBe(false);
  });
});
