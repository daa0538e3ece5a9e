import { describe, expect, it } from 'vitest';
import { Checksums, MAX_TTL_SECONDS, normalizeVia, Password, Ttl } from '../src/deploy-form.ts';

describe('api §1: the password field', () => {
  it.each([
    ['  secret\t\n', 'secret'],
    [` ${'a'.repeat(128)} `, 'a'.repeat(128)],
    ['cafe\u0301 noir', 'caf\u00e9 noir'],
    ['e\u0301'.repeat(128), '\u00e9'.repeat(128)],
  ])('accepts %j and stores it as %j', (text, password) => {
    expect(Password.parse(text)).toBe(password);
  });

  it('keeps inner spaces, and counts a character beyond 16 bits as one character', () => {
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
    ['texts that are too short', ['', 'short', '   short   ', '      ', '\u{1f600}'.repeat(5), 'e\u0301'.repeat(5)]],
    ['texts that are too long', ['a'.repeat(129)]],
    ['values of other types', [123456, null]],
  ])('refuses %s, such as each of %j', (_, values) => {
    for (const value of values) expect(Password.safeParse(value).success, String(value)).toBe(false);
  });
});

describe('api §3: the ttl field', () => {
  it('accepts any number of seconds up to 365 days', () => {
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
  ])('refuses %s with the message "%s"', (seconds, message) => {
    expect(Ttl.safeParse(seconds).error?.issues[0]?.message).toBe(message);
  });
});

describe('api §1: the via field', () => {
  it.each([
    ['cli', ['cli']],
    ['desktop', ['Desktop']],
    ['a.b_c-1', ['a.b_c-1']],
    ['a'.repeat(32), ['a'.repeat(32)]],
    ['api', ['a'.repeat(33), '', undefined, 'two words', 'cli\n', '<script>', 'dé']],
  ])('is stored as %s for each of %j, and never causes an error', (via, texts) => {
    for (const text of texts) expect(normalizeVia(text), text).toBe(via);
  });
});

describe('api §3: the checksums field', () => {
  const md5 = '0123456789abcdef0123456789abcdef';
  it('accepts checksums of 32 hex digits in any case, and converts them to lower case', () => {
    expect(Checksums.parse([md5, md5.toUpperCase()])).toEqual([md5, md5]);
    expect(Checksums.parse([])).toEqual([]);
  });

  it.each([
    ['texts that are not checksums', [[md5.slice(1)], [`${md5}0`], [`${md5}\n`], ['g'.repeat(32)]]],
    ['elements that are not texts', [[null], [1], [[md5]]]],
    ['values of other types', [md5, {}, null, { length: 0 }]],
  ])('refuses %s, such as each of %j', (_, values) => {
    for (const value of values) expect(Checksums.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });
});
