import { argon2Sync, randomBytes } from 'node:crypto';
import { createTestCore, deploySite } from '@berth/testing/core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { warningLog } from '@berth/testing/refused-rows';
import { passwordVersion } from '../../../src/services/passwords.ts';
import { DEFAULT_RATE_LIMITS } from '../../../src/services/rate-limits.ts';
import {
  createUnlockCookie,
  isUnlockCookieValid,
  UNLOCK_SECONDS,
  unlockSite,
  type UnlockScope,
} from '../../../src/services/sites/unlock.ts';

const PASSWORD = 'Übung-42';
const { log, warnings } = warningLog();

let deployment: string;
const test = await createTestCore({
  rateLimits: { ...DEFAULT_RATE_LIMITS, unlock: { count: 2, perSeconds: 600 } },
  log,
});
const { caller } = await test.account();
afterAll(() => test.close());
beforeEach(async () => {
  deployment = await createProtectedSite();
});

const createProtectedSite = async () =>
  (await deploySite(test.core, caller, { 'index.html': 'x' }, { fields: { password: PASSWORD } })).body.deployment;
async function storedHash(): Promise<string> {
  const sql = 'select password_hash as hash from deployment where id = $1';
  const [row] = await test.database.query<{ hash: string }>(sql, [deployment]);
  return row!.hash;
}
let addresses = 0;
const newAddress = () => `192.0.2.${(addresses += 1)}`;
const attempt = (password: string, address = newAddress(), id = deployment) =>
  unlockSite(test.core, { deployment: id, password, address });

describe('S61: an attempt to unlock a site', () => {
  it.each([PASSWORD, ` ${PASSWORD}\t`, PASSWORD.normalize('NFD')])(
    'succeeds with %j, because passwords are trimmed and normalized to NFC',
    async (password) => {
      expect(await attempt(password)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(await storedHash()) });
    },
  );

  const passwords = ['', ' ', 'übung-42', PASSWORD.slice(1), `${PASSWORD}!`, 'x'.repeat(129), '\0', '\ud800'.repeat(8)];
  it.each(passwords)('fails with the wrong password %j', async (password) => {
    expect(await attempt(password)).toEqual({ kind: 'wrong' });
  });

  it('fails for a public site and for a site that does not exist', async () => {
    const { body } = await deploySite(test.core, caller, { 'index.html': 'x' });
    for (const id of [body.deployment, 'calm-otter-0000000', "' or true --"])
      expect(await attempt(PASSWORD, newAddress(), id)).toEqual({ kind: 'wrong' });
  });

  it('security §7: renews a hash with old parameters, without invalidating existing cookies', async () => {
    const weakerParameters = { memory: 8_192, passes: 1, parallelism: 1, tagLength: 32 };
    const nonce = Buffer.alloc(16, 3);
    const [salt, tag] = [nonce, argon2Sync('argon2id', { message: PASSWORD, nonce, ...weakerParameters })].map(
      (bytes) => bytes.toString('base64').replace(/=+$/, ''),
    );
    const oldHash = `$argon2id$v=19$m=8192,t=1,p=1$${salt}$${tag}`;
    await test.database.query('update deployment set password_hash = $2 where id = $1', [deployment, oldHash]);
    expect(await attempt('wrong password')).toEqual({ kind: 'wrong' });
    expect(await storedHash()).toBe(oldHash);
    expect(await attempt(PASSWORD)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(oldHash) });
    expect(await storedHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await attempt(PASSWORD)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(oldHash) });
    expect(warnings).toEqual([]);
  });
});

describe('T16, api §7: the number of attempts to unlock a site', () => {
  it('is limited for each pair of an address and a site, whether the passwords are correct or not', async () => {
    const address = newAddress();
    expect(await attempt('wrong password', address)).toEqual({ kind: 'wrong' });
    expect(await attempt(PASSWORD, address)).toMatchObject({ kind: 'opened' });
    expect(await attempt(PASSWORD, address)).toEqual({
      kind: 'too-many',
      retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 200 && seconds <= 300),
    });
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'opened' });
    expect(await attempt(PASSWORD, address, await createProtectedSite())).toMatchObject({ kind: 'opened' });
  });

  it('is limited for a site and all addresses together to ten times the limit of one address', async () => {
    for (let n = 0; n < 20; n += 1) expect(await attempt('short')).toEqual({ kind: 'wrong' });
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'too-many' });
    test.advance(30);
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'opened' });
  });

  it('is not limited if the rate limits are switched off', async () => {
    const core = { ...test.core, rateLimits: null };
    const wrongAttempt = { deployment, password: 'short', address: '192.0.2.1' };
    for (let n = 0; n < 30; n += 1) expect(await unlockSite(core, wrongAttempt)).toEqual({ kind: 'wrong' });
  });
});

describe('S62, security §7: an unlock cookie', () => {
  const KEY = Buffer.alloc(32, 1);
  const NOW = new Date('2026-11-21T12:00:00Z');
  const secondsLater = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
  const SCOPE: UnlockScope = { host: 'site.example', deployment: 'calm-otter-4k9x2qd', passwordVersion: 'first' };
  const COOKIE = createUnlockCookie(KEY, SCOPE, NOW);

  it('has the form v1.<key id>.<payload>.<HMAC>, with characters that are valid in a cookie', () => {
    expect(COOKIE).toMatch(/^v1\.[\w-]{8}\.[\w-]+\.[\w-]{43}$/);
  });

  it('unlocks its site for 7 days', () => {
    for (const seconds of [0, 1, UNLOCK_SECONDS - 1])
      expect(isUnlockCookieValid(COOKIE, KEY, SCOPE, secondsLater(seconds))).toBe(true);
    for (const seconds of [UNLOCK_SECONDS, UNLOCK_SECONDS + 1, 10 * UNLOCK_SECONDS])
      expect(isUnlockCookieValid(COOKIE, KEY, SCOPE, secondsLater(seconds))).toBe(false);
    expect(UNLOCK_SECONDS).toBe(604_800);
  });

  it.each([
    ['host', { host: 'other.example' }],
    ['deployment', { deployment: 'calm-otter-4k9x2qe' }],
    ['password', { passwordVersion: 'second' }],
  ])('does not unlock another %s', (_, other) => {
    expect(isUnlockCookieValid(COOKIE, KEY, { ...SCOPE, ...other }, NOW)).toBe(false);
  });

  it('is invalid for other parts that join to the same text', () => {
    const shifted = createUnlockCookie(KEY, { host: 'a', deployment: 'b","c', passwordVersion: 'd' }, NOW);
    expect(isUnlockCookieValid(shifted, KEY, { host: 'a', deployment: 'b', passwordVersion: 'c' }, NOW)).toBe(false);
  });

  it('is invalid if another key signed it, even if it contains the id of the right key', () => {
    const foreignCookie = createUnlockCookie(randomBytes(32), SCOPE, NOW);
    const renamedCookie = foreignCookie.replace(/^v1\.[^.]+/, COOKIE.split('.').slice(0, 2).join('.'));
    for (const value of [foreignCookie, renamedCookie]) expect(isUnlockCookieValid(value, KEY, SCOPE, NOW)).toBe(false);
  });

  it('is invalid if any character is changed, added or removed', () => {
    for (let at = 0; at < COOKIE.length; at += 1) {
      const [before, after] = [COOKIE.slice(0, at), COOKIE.slice(at + 1)];
      for (const replacement of ['', 'A', 'B', '.', '=', '%', `${COOKIE[at]}A`].filter((put) => put !== COOKIE[at]))
        expect(isUnlockCookieValid(before + replacement + after, KEY, SCOPE, NOW), `${replacement} at ${at}`).toBe(
          false,
        );
    }
    const extendedCookies = [`${COOKIE}.`, `.${COOKIE}`, ` ${COOKIE}`, `${COOKIE}=`, `"${COOKIE}"`];
    for (const value of ['', '.', '...', 'v1', 'v1...', ...extendedCookies, 'x'.repeat(100_000)])
      expect(isUnlockCookieValid(value, KEY, SCOPE, NOW), value.slice(0, 80)).toBe(false);
  });
});
