import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createUnlockCookie,
  isUnlockCookieValid,
  UNLOCK_SECONDS,
  type UnlockScope,
} from '../../../src/services/sites/unlock.ts';

const KEY = Buffer.alloc(32, 1);
const NOW = new Date('2026-11-21T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const OPENING: UnlockScope = { host: 'site.example', deployment: 'calm-otter-4k9x2qd', passwordVersion: 'first' };
const VALUE = createUnlockCookie(KEY, OPENING, NOW);

describe('S62, security §7: an unlock cookie', () => {
  it('has the form v1.<key id>.<payload>.<HMAC>, in characters that are valid in a cookie', () => {
    expect(VALUE).toMatch(/^v1\.[\w-]{8}\.[\w-]+\.[\w-]{43}$/);
  });

  it('unlocks its site for 7 days', () => {
    for (const seconds of [0, 1, UNLOCK_SECONDS - 1])
      expect(isUnlockCookieValid(VALUE, KEY, OPENING, later(seconds))).toBe(true);
    for (const seconds of [UNLOCK_SECONDS, UNLOCK_SECONDS + 1, 10 * UNLOCK_SECONDS])
      expect(isUnlockCookieValid(VALUE, KEY, OPENING, later(seconds))).toBe(false);
    expect(UNLOCK_SECONDS).toBe(604_800);
  });

  it.each([
    ['host', { host: 'other.example' }],
    ['deployment', { deployment: 'calm-otter-4k9x2qe' }],
    ['password', { passwordVersion: 'second' }],
  ])('does not unlock another %s', (_, other) => {
    expect(isUnlockCookieValid(VALUE, KEY, { ...OPENING, ...other }, NOW)).toBe(false);
  });

  it('is unambiguous: no part can run into the next', () => {
    const shifted = createUnlockCookie(KEY, { host: 'a', deployment: 'b","c', passwordVersion: 'd' }, NOW);
    expect(isUnlockCookieValid(shifted, KEY, { host: 'a', deployment: 'b', passwordVersion: 'c' }, NOW)).toBe(false);
  });

  it('is invalid with another key, even with the id of this key', () => {
    const foreign = createUnlockCookie(randomBytes(32), OPENING, NOW);
    expect(isUnlockCookieValid(foreign, KEY, OPENING, NOW)).toBe(false);
    expect(
      isUnlockCookieValid(foreign.replace(/^v1\.[^.]+/, VALUE.split('.').slice(0, 2).join('.')), KEY, OPENING, NOW),
    ).toBe(false);
  });

  it('is invalid with any character changed, added or removed', () => {
    for (let at = 0; at < VALUE.length; at += 1) {
      const [before, after] = [VALUE.slice(0, at), VALUE.slice(at + 1)];
      for (const put of ['', 'A', 'B', '.', '=', '%', `${VALUE[at]}A`].filter((put) => put !== VALUE[at]))
        expect(isUnlockCookieValid(before + put + after, KEY, OPENING, NOW), `${put} at ${at}`).toBe(false);
    }
    for (const value of [
      '',
      '.',
      '...',
      'v1',
      'v1...',
      `${VALUE}.`,
      `.${VALUE}`,
      ` ${VALUE}`,
      `${VALUE}=`,
      `"${VALUE}"`,
      'x'.repeat(100_000),
    ])
      expect(isUnlockCookieValid(value, KEY, OPENING, NOW), value.slice(0, 80)).toBe(false);
  });
});
