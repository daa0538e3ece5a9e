import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { authenticate } from '../../src/services/authentication.ts';
import { createToken, type NewToken } from '../../src/services/accounts/tokens.ts';
import { useTestCore, refusal } from '@berth/testing/core';

let caller: AccountCaller;
let key: string;
const test = await useTestCore();
beforeEach(async () => {
  ({ caller, key } = await test.account('pro'));
});

const UNKNOWN_SECRET = '0123456789abcdef0123456789abcdef';
const callerOf = (header: string | undefined) => authenticate(test.core, header, '192.0.2.9');
const tokenOf = (request: Partial<NewToken>) =>
  test.core.database.transaction(async (em) =>
    createToken(em, caller.account, { kind: 'deploy', created: test.core.now(), ...request }),
  );
const usedAt = async (token: string) => {
  const [row] = await test.database.query<{ used: Date | null }>('select used from token where token = $1', [token]);
  return row!.used?.getTime();
};
const setState = (state: string) =>
  test.database.query('update account set state = $2 where id = $1', [caller.account, state]);

describe('api §5: the caller of a request', () => {
  it('is anonymous if the request has no Authorization header', async () => {
    expect(await callerOf(undefined)).toEqual({ kind: 'anonymous', address: '192.0.2.9' });
  });

  const account = () => ({ kind: 'account', account: caller.account, plan: 'pro', member: null });

  it('is the account of an API key', async () => {
    const token = expect.stringMatching(/^[a-z0-9]{7}$/);
    const expectedCaller = { ...account(), credential: 'api', token, authMethod: 'api-key', used: expect.any(Date) };
    expect(await callerOf(`Bearer ${key}`)).toEqual(expectedCaller);
  });

  it('is the account of a deploy token, with the credential kind deploy', async () => {
    const { token, secret } = await tokenOf({ kind: 'deploy' });
    expect(secret).toMatch(/^deploy-[0-9a-f]{32}$/);
    const expectedCaller = { ...account(), credential: 'deploy', token, authMethod: 'deploy-token', used: null };
    expect(await callerOf(`Bearer ${secret}`)).toEqual(expectedCaller);
  });
});

describe('T20: an invalid Authorization header', () => {
  it.each<[string, () => string]>([
    ['empty', () => ''],
    ['blank', () => '   '],
    ['only the scheme', () => 'Bearer'],
    ['the scheme and a blank', () => 'Bearer '],
    ['only the key', () => key],
    ['of another scheme', () => `Basic ${Buffer.from(`x:${key}`).toString('base64')}`],
    ['of a scheme that starts with Bearer', () => `Bearers ${key}`],
    ['without a space between scheme and key', () => `Bearer${key}`],
    ['with a colon after the scheme', () => `Bearer: ${key}`],
    ['with a tab instead of the space', () => `Bearer\t${key}`],
    ['with quotes around the key', () => `Bearer "${key}"`],
    ['with two keys', () => `Bearer ${key} ${key}`],
    ['with two keys and a comma', () => `Bearer ${key},${key}`],
    ['joined from two headers', () => `Bearer ${key}, Bearer ${key}`],
    ['the key in upper case', () => `Bearer ${key.toUpperCase()}`],
    ['the key cut short', () => `Bearer ${key.slice(0, -1)}`],
    ['the key with an additional character', () => `Bearer ${key}0`],
    ['the key with the prefix of deploy tokens', () => `Bearer ${key.replace('ship-', 'deploy-')}`],
    ['only the secret part', () => `Bearer ${key.slice(5)}`],
    ['an unknown API key', () => `Bearer ship-${UNKNOWN_SECRET}`],
    ['an unknown deploy token', () => `Bearer deploy-${UNKNOWN_SECRET}`],
    ['an unknown prefix', () => `Bearer token-${UNKNOWN_SECRET}`],
    ['an identifier instead of a secret', () => `Bearer ${caller.token}`],
    ['with a NUL', () => `Bearer ${key}\u0000`],
    ['SQL', () => `Bearer ' or true --`],
    ['a very long text', () => `Bearer ${'a'.repeat(100_000)}`],
  ])('is refused with 401 if it is %s', async (_, header) => {
    await expect(callerOf(header())).rejects.toMatchObject({
      code: 'authentication_failed',
      status: 401,
      message: expect.stringContaining('not valid'),
      details: undefined,
    });
  });

  it('gets the same error for an unknown, an expired and a revoked credential', async () => {
    const expiredToken = await tokenOf({ expires: new Date(test.core.now().getTime() + 600_000) });
    const revokedToken = await tokenOf({});
    await callerOf(`Bearer ${expiredToken.secret}`);
    await callerOf(`Bearer ${revokedToken.secret}`);
    await test.database.query('delete from token where token = $1', [revokedToken.token]);
    test.advance(600);
    const [unknown, ...others] = await Promise.all(
      [`deploy-${UNKNOWN_SECRET}`, expiredToken.secret, revokedToken.secret].map((secret) =>
        refusal(callerOf(`Bearer ${secret}`)),
      ),
    );
    for (const { code, message, details } of others) expect(unknown).toMatchObject({ code, message, details });
  });
});

describe('api §5: a credential', () => {
  it('is valid until it expires, and invalid from its time of expiry on', async () => {
    const expiryMs = test.core.now().getTime() + 60_000;
    const { secret } = await tokenOf({ expires: new Date(expiryMs) });
    const callerAt = (ms: number) => authenticate({ ...test.core, now: () => new Date(ms) }, `Bearer ${secret}`, '');
    await expect(callerAt(expiryMs - 1)).resolves.toMatchObject({ kind: 'account' });
    for (const ms of [expiryMs, expiryMs + 1])
      await expect(callerAt(ms)).rejects.toMatchObject({ code: 'authentication_failed' });
  });
});

describe('api §5: the state of an account', () => {
  it.each([['suspended'], ['terminated']])('refuses every credential with 403 if it is %s', async (state) => {
    const { secret, token } = await tokenOf({});
    await setState(state);
    for (const credential of [key, secret])
      await expect(callerOf(`Bearer ${credential}`)).rejects.toMatchObject({
        code: 'forbidden',
        status: 403,
        message: `This account is ${state}.`,
        details: undefined,
      });
    expect(await usedAt(token)).toBeUndefined();
  });

  it('is not revealed to a client whose credential has expired', async () => {
    const { secret } = await tokenOf({ expires: new Date(test.core.now().getTime() - 1) });
    await setState('terminated');
    await expect(callerOf(`Bearer ${secret}`)).rejects.toMatchObject({ code: 'authentication_failed' });
  });
});

describe('api §5: the time of last use of a credential', () => {
  it('changes at most once a minute', async () => {
    const { token, secret } = await tokenOf({});
    expect(await usedAt(token)).toBeUndefined();
    await callerOf(`Bearer ${secret}`);
    const firstUse = await usedAt(token);
    expect(firstUse).toEqual(expect.any(Number));
    test.advance(30);
    await callerOf(`Bearer ${secret}`);
    expect(await usedAt(token)).toBe(firstUse);
    test.advance(31);
    expect(await callerOf(`Bearer ${secret}`)).toMatchObject({ used: new Date(firstUse!) });
    expect(await usedAt(token)).toBeGreaterThanOrEqual(firstUse! + 60_000);
  });

  it('is written once for many concurrent requests', async () => {
    const { token, secret } = await tokenOf({});
    await test.database.query('create table moved (used timestamptz)');
    await test.database.query(
      'create function note_move() returns trigger language plpgsql as $$ begin insert into moved values (new.used); return new; end $$',
    );
    await test.database.query(
      'create trigger note_move before update on token for each row execute function note_move()',
    );
    await Promise.all(Array.from({ length: 30 }, () => callerOf(`Bearer ${secret}`)));
    expect(await test.database.query('select 1 from moved')).toHaveLength(1);
    await test.database.query('drop function note_move cascade');
    expect(await usedAt(token)).toEqual(expect.any(Number));
  });

  it('does not change when the credential is refused', async () => {
    const { token, secret } = await tokenOf({ expires: new Date(test.core.now().getTime() - 1) });
    await callerOf(`Bearer ${secret}`).catch(() => {});
    expect(await usedAt(token)).toBeUndefined();
  });
});
