import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { authenticate } from '../../src/services/authentication.ts';
import { createToken, type NewToken } from '../../src/services/accounts/tokens.ts';
import { createTestCore, refusal } from '@berth/testing/core';

let caller: AccountCaller;
let key: string;
const test = await createTestCore();
afterAll(() => test.close());
beforeEach(async () => {
  ({ caller, key } = await test.account('pro'));
});

const hex = '0123456789abcdef0123456789abcdef';
const as = (header: string | undefined) => authenticate(test.core, header, '192.0.2.9');
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
  it('is anonymous without the header, and only then', async () => {
    expect(await as(undefined)).toEqual({ kind: 'anonymous', address: '192.0.2.9' });
  });

  const account = () => ({ kind: 'account', account: caller.account, plan: 'pro' });

  it('is the account of an API key', async () => {
    const token = expect.stringMatching(/^[a-z0-9]{7}$/);
    expect(await as(`Bearer ${key}`)).toEqual({ ...account(), credential: 'api', token, authMethod: 'api-key' });
  });

  it('is the account of a deploy token, for deploys', async () => {
    const { token, secret } = await tokenOf({ kind: 'deploy' });
    expect(secret).toMatch(/^deploy-[0-9a-f]{32}$/);
    const expected = { ...account(), credential: 'deploy', token, authMethod: 'deploy-token' };
    expect(await as(`Bearer ${secret}`)).toEqual(expected);
  });
});

describe('T20: an invalid header', () => {
  it.each<[string, () => string]>([
    ['empty', () => ''],
    ['blank', () => '   '],
    ['only the scheme', () => 'Bearer'],
    ['the scheme and a blank', () => 'Bearer '],
    ['only the key', () => key],
    ['another scheme', () => `Basic ${Buffer.from(`x:${key}`).toString('base64')}`],
    ['a scheme with the right prefix', () => `Bearers ${key}`],
    ['no space', () => `Bearer${key}`],
    ['a colon', () => `Bearer: ${key}`],
    ['a tab', () => `Bearer\t${key}`],
    ['quotes', () => `Bearer "${key}"`],
    ['two keys', () => `Bearer ${key} ${key}`],
    ['two keys with a comma', () => `Bearer ${key},${key}`],
    ['two headers joined', () => `Bearer ${key}, Bearer ${key}`],
    ['the key in upper case', () => `Bearer ${key.toUpperCase()}`],
    ['the key cut short', () => `Bearer ${key.slice(0, -1)}`],
    ['the key with more', () => `Bearer ${key}0`],
    ['the other prefix', () => `Bearer ${key.replace('ship-', 'deploy-')}`],
    ['only the secret part', () => `Bearer ${key.slice(5)}`],
    ['an unknown API key', () => `Bearer ship-${hex}`],
    ['an unknown deploy token', () => `Bearer deploy-${hex}`],
    ['an unknown prefix', () => `Bearer token-${hex}`],
    ['an identifier instead of a secret', () => `Bearer ${caller.token}`],
    ['a NUL', () => `Bearer ${key}\u0000`],
    ['SQL', () => `Bearer ' or true --`],
    ['a very long text', () => `Bearer ${'a'.repeat(100_000)}`],
  ])('is 401: %s', async (_, header) => {
    await expect(as(header())).rejects.toMatchObject({
      code: 'authentication_failed',
      status: 401,
      message: expect.stringContaining('not valid'),
      details: undefined,
    });
  });

  it('gets the same answer for an unknown, an expired and a revoked credential', async () => {
    const expired = await tokenOf({ expires: new Date(test.core.now().getTime() + 600_000) });
    const revoked = await tokenOf({});
    await as(`Bearer ${expired.secret}`);
    await as(`Bearer ${revoked.secret}`);
    await test.database.query('delete from token where token = $1', [revoked.token]);
    test.advance(600);
    const [unknown, ...others] = await Promise.all(
      [`deploy-${hex}`, expired.secret, revoked.secret].map((secret) => refusal(as(`Bearer ${secret}`))),
    );
    for (const { code, message, details } of others) expect(unknown).toMatchObject({ code, message, details });
  });
});

describe('api §5: a credential', () => {
  it('is valid until it expires, and invalid from that moment on', async () => {
    const moment = test.core.now().getTime() + 60_000;
    const { secret } = await tokenOf({ expires: new Date(moment) });
    const at = (ms: number) => authenticate({ ...test.core, now: () => new Date(ms) }, `Bearer ${secret}`, '');
    await expect(at(moment - 1)).resolves.toMatchObject({ kind: 'account' });
    for (const ms of [moment, moment + 1])
      await expect(at(ms)).rejects.toMatchObject({ code: 'authentication_failed' });
  });
});

describe('api §5: the state of the account', () => {
  it.each([['suspended'], ['terminated']])('%s is 403 for every credential', async (state) => {
    const { secret, token } = await tokenOf({});
    await setState(state);
    for (const credential of [key, secret])
      await expect(as(`Bearer ${credential}`)).rejects.toMatchObject({
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
    await expect(as(`Bearer ${secret}`)).rejects.toMatchObject({ code: 'authentication_failed' });
  });
});

describe('api §5: `used`', () => {
  it('changes at most once a minute', async () => {
    const { token, secret } = await tokenOf({});
    expect(await usedAt(token)).toBeUndefined();
    await as(`Bearer ${secret}`);
    const first = await usedAt(token);
    expect(first).toEqual(expect.any(Number));
    test.advance(30);
    await as(`Bearer ${secret}`);
    expect(await usedAt(token)).toBe(first);
    test.advance(31);
    await as(`Bearer ${secret}`);
    expect(await usedAt(token)).toBeGreaterThanOrEqual(first! + 60_000);
  });

  it('changes once for many concurrent requests', async () => {
    const { token, secret } = await tokenOf({});
    await test.database.query('create table moved (used timestamptz)');
    await test.database.query(
      'create function note_move() returns trigger language plpgsql as $$ begin insert into moved values (new.used); return new; end $$',
    );
    await test.database.query(
      'create trigger note_move before update on token for each row execute function note_move()',
    );
    await Promise.all(Array.from({ length: 30 }, () => as(`Bearer ${secret}`)));
    expect(await test.database.query('select 1 from moved')).toHaveLength(1);
    await test.database.query('drop function note_move cascade');
    expect(await usedAt(token)).toEqual(expect.any(Number));
  });

  it('does not change for a credential that was refused', async () => {
    const { token, secret } = await tokenOf({ expires: new Date(test.core.now().getTime() - 1) });
    await as(`Bearer ${secret}`).catch(() => {});
    expect(await usedAt(token)).toBeUndefined();
  });
});
