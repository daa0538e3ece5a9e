import { argon2Sync } from 'node:crypto';
import { createTestCore, deploySite, type TestCore } from '@berth/testing/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, Log } from '../../../src/core.ts';
import { hashPassword, passwordVersion } from '../../../src/services/sites/passwords.ts';
import { DEFAULT_RATE_LIMITS } from '../../../src/services/rate-limits.ts';
import { unlockSite } from '../../../src/services/sites/unlock.ts';

const PASSWORD = 'Übung-42';
const warnings: string[] = [];
const log: Log = { info() {}, warn: (_, message) => void warnings.push(message), error() {} };

let test: TestCore;
let caller: AccountCaller;
let deployment: string;
beforeAll(async () => {
  test = await createTestCore({ rateLimits: { ...DEFAULT_RATE_LIMITS, unlock: { count: 2, perSeconds: 600 } }, log });
  ({ caller } = await test.account());
});
afterAll(() => test.close());
beforeEach(async () => {
  deployment = await protect();
});

const protect = async () =>
  (await deploySite(test.core, caller, { 'index.html': 'x' }, { fields: { password: PASSWORD } })).body.deployment;
const storedHash = async () =>
  (
    await test.database.query<{ hash: string }>('select password_hash as hash from deployment where id = $1', [
      deployment,
    ])
  )[0]!.hash;
let addresses = 0;
const elsewhere = () => `192.0.2.${(addresses += 1)}`;
const attempt = (password: string, address = elsewhere()) => unlockSite(test.core, { deployment, password, address });

describe('S61: an attempt to unlock a site', () => {
  it.each([PASSWORD, ` ${PASSWORD}\t`, PASSWORD.normalize('NFD')])(
    'succeeds with %j: trimmed and NFC, as when it was set',
    async (password) => {
      expect(await attempt(password)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(await storedHash()) });
    },
  );

  it.each([
    '',
    ' ',
    'übung-42',
    PASSWORD.slice(1),
    `${PASSWORD}!`,
    'x'.repeat(129),
    '\0',
    '\ufffd'.repeat(8),
    '\ud800'.repeat(8),
  ])('fails with %j', async (password) => {
    expect(await attempt(password)).toEqual({ kind: 'wrong' });
  });

  it('fails for a public site and for a missing one', async () => {
    const { body } = await deploySite(test.core, caller, { 'index.html': 'x' });
    for (const id of [body.deployment, 'calm-otter-0000000', "' or true --"])
      expect(await unlockSite(test.core, { deployment: id, password: PASSWORD, address: elsewhere() })).toEqual({
        kind: 'wrong',
      });
  });

  it('security §7: renews an old hash, and existing cookies stay valid', async () => {
    const salt = Buffer.alloc(16, 3);
    const tag = argon2Sync('argon2id', {
      message: PASSWORD,
      nonce: salt,
      memory: 8_192,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    });
    const old = `$argon2id$v=19$m=8192,t=1,p=1$${salt.toString('base64').replace(/=+$/, '')}$${tag.toString('base64').replace(/=+$/, '')}`;
    await test.database.query('update deployment set password_hash = $2 where id = $1', [deployment, old]);
    expect(await attempt('wrong password')).toEqual({ kind: 'wrong' });
    expect(await storedHash()).toBe(old);
    expect(await attempt(PASSWORD)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(old) });
    expect(await storedHash()).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await attempt(PASSWORD)).toEqual({ kind: 'opened', passwordVersion: passwordVersion(old) });
    expect(warnings).toEqual([]);
  });

  it('security §7: is 503 while too many passwords are being hashed', async () => {
    let isTried = false;
    // A new hash starts whenever one finishes, so no slot is free until the attempt is made.
    const others = Array.from({ length: 52 }, async () => {
      do await hashPassword('secret');
      while (!isTried);
    });
    await expect(attempt(PASSWORD)).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: expect.any(Number),
    });
    isTried = true;
    await Promise.all(others);
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'opened' });
  });
});

describe('T16, api §7: the number of attempts', () => {
  it('is limited for one address and site, with right or wrong passwords; other addresses and sites are not affected', async () => {
    const here = elsewhere();
    expect(await attempt('wrong password', here)).toEqual({ kind: 'wrong' });
    expect(await attempt(PASSWORD, here)).toMatchObject({ kind: 'opened' });
    const refused = await attempt(PASSWORD, here);
    expect(refused).toEqual({ kind: 'too-many', retryAfterSeconds: expect.any(Number) });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toSatisfy(
      (seconds: number) => seconds > 200 && seconds <= 300,
    );
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'opened' });
    const other = await protect();
    expect(await unlockSite(test.core, { deployment: other, password: PASSWORD, address: here })).toMatchObject({
      kind: 'opened',
    });
  });

  it('is limited for one site and all addresses together: ten times as many', async () => {
    for (let n = 0; n < 20; n += 1) expect(await attempt('short')).toEqual({ kind: 'wrong' });
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'too-many' });
    test.advance(30);
    expect(await attempt(PASSWORD)).toMatchObject({ kind: 'opened' });
  });

  it('is not limited if the limits are off', async () => {
    const core = { ...test.core, rateLimits: null };
    for (let n = 0; n < 30; n += 1)
      expect(await unlockSite(core, { deployment, password: 'short', address: '192.0.2.1' })).toEqual({
        kind: 'wrong',
      });
  });
});
