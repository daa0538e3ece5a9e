import { describe, expect, it } from 'vitest';
import { Checksums, MAX_TTL_SECONDS, normalizeVia, Password, Ttl } from '../src/deploy-form.ts';

describe('api §1: a site password', () => {
  it.each([
    ['  secret\t\n', 'secret'],
    [` ${'a'.repeat(128)} `, 'a'.repeat(128)],
    ['cafe\u0301 noir', 'caf\u00e9 noir'],
    ['e\u0301'.repeat(128), '\u00e9'.repeat(128)],
  ])('accepts %j and stores it as %j', (text, password) => {
    expect(Password.parse(text)).toBe(password);
  });

  it('keeps spaces inside, and counts characters beyond 16 bits once', () => {
    for (const text of [
      'secret',
      'with spaces inside',
      '\u{1f600}'.repeat(6),
      '\u{1f600}'.repeat(128),
      'a'.repeat(128),
    ])
      expect(Password.parse(text)).toBe(text);
  });

  it.each([
    ['a text that is too short', ['', 'short', '   short   ', '      ', '\u{1f600}'.repeat(5), 'e\u0301'.repeat(5)]],
    ['a text that is too long', ['a'.repeat(129)]],
    ['another value', [123456, null]],
  ])('refuses %s: %j', (_, values) => {
    for (const value of values) expect(Password.safeParse(value).success, String(value)).toBe(false);
  });
});

describe('api §3: ttl', () => {
  it('can be any number of seconds up to 365 days', () => {
    expect(MAX_TTL_SECONDS).toBe(31_536_000);
    for (const seconds of [1, 60, MAX_TTL_SECONDS]) expect(Ttl.parse(seconds)).toBe(seconds);
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
});

describe('api §1: via is never an error', () => {
  it.each([
    ['cli', ['cli']],
    ['desktop', ['Desktop']],
    ['a.b_c-1', ['a.b_c-1']],
    ['a'.repeat(32), ['a'.repeat(32)]],
    ['api', ['a'.repeat(33), '', undefined, 'two words', 'cli\n', '<script>', 'dé']],
  ])('stores %s for %j', (via, texts) => {
    for (const text of texts) expect(normalizeVia(text), text).toBe(via);
  });
});

describe('api §3: checksums', () => {
  const md5 = '0123456789abcdef0123456789abcdef';
  it('accepts 32 hex digits each, in any case, and reads them as lower case', () => {
    expect(Checksums.parse([md5, md5.toUpperCase()])).toEqual([md5, md5]);
    expect(Checksums.parse([])).toEqual([]);
  });

  it.each([
    ['a text that is not a checksum', [[md5.slice(1)], [`${md5}0`], [`${md5}\n`], ['g'.repeat(32)]]],
    ['another element', [[null], [1], [[md5]]]],
    ['another value', [md5, {}, null, { length: 0 }]],
  ])('refuses %s: %j', (_, values) => {
    for (const value of values) expect(Checksums.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });
});
