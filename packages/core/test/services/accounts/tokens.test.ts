import { CREDENTIAL, type TokenRequest } from '@berth/contract';
import { useTestCore, refusals } from '@berth/testing/core';
import { describe, expect, it } from 'vitest';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import {
  addToken,
  createToken,
  deleteToken,
  findFreeTokenId,
  getToken,
  listTokens,
  MAX_TOKENS,
} from '../../../src/services/accounts/tokens.ts';

const test = await useTestCore();
const { caller } = await test.account();

const scope = () => ({ core: test.core, caller });
const addWith = (request: Partial<TokenRequest> = {}) => addToken(scope(), { kind: 'deploy', ...request });
const authenticates = (secret: string, core = test.core) =>
  authenticate(core, `Bearer ${secret}`, '').then(
    ({ kind }) => kind === 'account',
    (error: { status: number }) => error.status,
  );

describe('api §1: a credential', () => {
  it.each([
    ['api', 'ship-'],
    ['deploy', 'deploy-'],
  ] as const)('of kind %s starts with %s, and is stored only as a hash and 4 characters', async (kind, prefix) => {
    const created = test.core.now();
    const expires = new Date(created.getTime() + 60_000);
    const { token, secret } = await test.core.database.transaction(async (em) =>
      createToken(em, caller.account, { kind, created, expires, labels: ['ci'] }),
    );
    expect(secret).toMatch(CREDENTIAL);
    expect(secret.startsWith(prefix)).toBe(true);
    const [row] = await test.database.query(
      'select account_id, kind, last4, labels, created, expires, used, secret_hash = sha256($2) as hashed from token where token = $1',
      [token, secret],
    );
    expect(row).toEqual({
      account_id: caller.account,
      kind,
      last4: secret.slice(-4),
      labels: ['ci'],
      created,
      expires,
      used: null,
      hashed: true,
    });
    const dump = (await test.database.query<{ row: string }>('select t::text as row from token t'))
      .map(({ row: text }) => text)
      .join();
    for (const part of [secret, secret.slice(prefix.length)]) {
      expect(dump).not.toContain(part);
      expect(dump).not.toContain(Buffer.from(part).toString('hex'));
    }
  });
});

describe('api §5: POST /tokens', () => {
  it('creates a credential that authenticates until its ttl has passed, and then returns 401', async () => {
    const { token, secret, created, expires } = await addWith({ ttl: 60 });
    expect(expires! - created).toBe(60);
    expect(await authenticates(secret, { ...test.core, now: () => new Date(expires! * 1_000 - 1) })).toBe(true);
    test.advance(61);
    expect(await authenticates(secret)).toBe(401);
    const { tokens } = await listTokens(scope(), { limit: 100 });
    expect(tokens).toContainEqual(expect.objectContaining({ token, expires }));
    expect(await deleteToken(scope(), token)).toEqual({ token });
  });

  it('api §1: generates another identifier if the account already has a token with the generated identifier', async () => {
    const { token } = await addWith();
    const drawnIds = [token, token, 'fresh00'];
    const em = test.core.database.em();
    expect(await findFreeTokenId(em, caller.account, () => drawnIds.shift()!)).toBe('fresh00');
    const { caller: other } = await test.account();
    expect(await findFreeTokenId(em, other.account, () => token)).toBe(token);
  });

  it('api §6: is recorded in the audit log with the time of expiry, but without the secret', async () => {
    const newToken = await addWith({ kind: 'api', ttl: 9, labels: ['one'] });
    await deleteToken(scope(), newToken.token);
    const { activities } = await listActivities(scope(), { limit: 2 });
    const common = { created: expect.any(Number), authMethod: 'api-key', token: newToken.token };
    expect(activities).toEqual([
      { ...common, event: 'token.delete', meta: { kind: 'api' } },
      { ...common, event: 'token.create', meta: { kind: 'api', labels: ['one'], expires: newToken.expires } },
    ]);
    expect(JSON.stringify(activities)).not.toContain(newToken.secret.slice(-4));
  });
});

describe('api §5: a deploy token with domains', () => {
  it('lists the normalised names once, and keeps 10 versions by default', async () => {
    const domains = ['Shop.sites.test.', 'shop.sites.test', 'www.bücher.dev'];
    const expected = { domains: ['shop.sites.test', 'www.xn--bcher-kva.dev'], keep: 10 };
    const { token, secret, ...created } = await addWith({ domains });
    expect(created).toMatchObject(expected);
    expect(await getToken(scope(), token)).toMatchObject(expected);
    expect(await authenticate(test.core, `Bearer ${secret}`, '')).toMatchObject({ domainAccess: expected });
    const { activities } = await listActivities(scope(), { limit: 1 });
    expect(activities).toMatchObject([{ event: 'token.create', token, meta: expected }]);
  });

  it('keeps the number of versions in the request', async () => {
    expect(await addWith({ domains: ['shop.sites.test'], keep: 3 })).toMatchObject({ keep: 3 });
  });

  it('has `domains` and `keep`, unlike a deploy token without domains', async () => {
    const { token } = await addWith();
    expect(Object.keys(await getToken(scope(), token))).not.toEqual(expect.arrayContaining(['domains']));
    expect(Object.keys(await getToken(scope(), token))).not.toEqual(expect.arrayContaining(['keep']));
  });

  it.each([
    ['a name that cannot be a domain', { domains: ['shop.sites.test', 'www.sites.test'] }, 'domains.1'],
    ['domains of an API key', { kind: 'api', domains: ['shop.sites.test'] }, 'domains'],
    ['keep without domains', { keep: 3 }, 'keep'],
  ] as const)('is refused for %s', async (_, request, path) => {
    const { domains, ...rest } = { domains: undefined, ...request };
    await expect(addWith({ ...rest, ...(domains && { domains: [...domains] }) })).rejects.toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path }] },
    });
  });
});

describe('api §5: DELETE /tokens/{token}', () => {
  it('revokes a credential once if eight requests arrive at once', async () => {
    const { token, secret } = await addWith();
    const refusedDeletions = await refusals(Array.from({ length: 8 }, () => deleteToken(scope(), token)));
    expect(refusedDeletions).toHaveLength(7);
    for (const error of refusedDeletions) expect(error).toMatchObject({ code: 'not_found' });
    expect(await authenticates(secret)).toBe(401);
    const { activities } = await listActivities(scope(), { limit: 8 });
    expect(activities.filter((entry) => entry.event === 'token.delete' && entry.token === token)).toHaveLength(1);
  });

  it.each(['', 'zzzzzzz', 'A1B2C3D', 'zzzzzz', 'zzzzzzzz', '\0', "' or 1=1"])(
    'returns 404 for %j, which is not the identifier of a token',
    async (token) => {
      for (const operation of [getToken, deleteToken])
        await expect(operation(scope(), token)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    },
  );
});

describe('api §5: the maximum number of tokens of an account', () => {
  const insertTokens = (account: string, count: number, expires: string) =>
    test.database.query(
      `insert into token (account_id, token, kind, secret_hash, last4, labels, created, expires)
       select $1, 'f' || lpad(n::text, 6, '0'), 'deploy', sha256(convert_to($1 || n, 'UTF8')), '0000', '{}', now(), ${expires}
       from generate_series(1, $2::int) n`,
      [account, count],
    );
  const count = async (account: string) =>
    (await test.database.query('select 1 from token where account_id = $1', [account])).length;

  it('is 1,000: a further token is refused until another token is revoked', async () => {
    const scope = { core: test.core, caller: (await test.account()).caller };
    const { account } = scope.caller;
    await insertTokens(account, MAX_TOKENS - (await count(account)), 'null');
    await expect(addToken(scope, { kind: 'deploy' })).rejects.toMatchObject({
      code: 'business_logic_error',
      message: 'An account must have at most 1,000 tokens: revoke one first.',
      details: { limit: 1_000 },
    });
    await deleteToken(scope, 'f000001');
    expect(await addToken(scope, { kind: 'deploy' })).toMatchObject({ kind: 'deploy' });
    expect(await count(account)).toBe(MAX_TOKENS);
  });

  it('does not count expired tokens, which are deleted to make room', async () => {
    const scope = { core: test.core, caller: (await test.account()).caller };
    const { account } = scope.caller;
    await insertTokens(account, MAX_TOKENS, `now() - interval '1 minute'`);
    const { token } = await addToken(scope, { kind: 'deploy' });
    expect(await getToken(scope, token)).toMatchObject({ token });
    expect(await count(account)).toBeLessThan(10);
  });
});
