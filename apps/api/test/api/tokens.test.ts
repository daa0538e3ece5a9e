import { CreatedToken, CREDENTIAL, Token, TOKEN_ID } from '@berth/contract';
import { expectErrorAnswer, expectRefusal } from '@berth/testing/expectations';
import { type Answer, askerOf } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBerth } from '../../src/server.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const server = useServer({ clean: true });
let key: string;
beforeAll(async () => {
  ({ key } = await server().account());
});

const post = (body?: unknown, credential: string | null = key) =>
  server().api('/tokens', {
    method: 'POST',
    key: credential,
    ...(body === undefined ? {} : { headers: JSON_TYPE, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
const postTyped = (input: unknown) =>
  server().api('/trpc/tokens.create', { method: 'POST', key, headers: JSON_TYPE, body: JSON.stringify(input) });
const dataOf = (answer: Answer) => answer.json<{ result: { data: unknown } }>().result.data;

/** The record and secret of a 201. The secret must appear nowhere else. */
function created(answer: Answer): CreatedToken {
  expect([answer.status, answer.headers['cache-control']]).toEqual([201, 'no-store']);
  const token = CreatedToken.strict().parse(answer.json());
  server().secrets.add(token.secret);
  return token;
}

describe('api §5: POST /tokens', () => {
  it.each<[unknown, object]>([
    [undefined, { kind: 'deploy', labels: [], expires: null }],
    [{}, { kind: 'deploy', labels: [], expires: null }],
    [{ kind: 'deploy' }, { kind: 'deploy' }],
    [{ kind: 'api' }, { kind: 'api' }],
    [{ labels: ['one', 'two', 'one'] }, { labels: ['one', 'two'] }],
    [{ kind: 'api', ttl: 365 * 86_400 }, { expires: expect.any(Number) }],
    [{ ttl: 3600, secret: 'ship-x', token: 'chosen0', used: 1, account: 'acc-x' }, { used: null }],
  ])('with %j answers 201 with the record and the secret', async (body, expected) => {
    const token = created(await post(body));
    expect(token).toMatchObject(expected);
    expect(token.token).toMatch(TOKEN_ID);
    expect(token.secret).toMatch(CREDENTIAL);
    expect(token.token).not.toBe('chosen0');
    expect((await server().api('/limits', { key: token.secret })).status).toBe(200);
    expect((await server().api('/account', { key: token.secret })).status).toBe(token.kind === 'api' ? 200 : 403);
  });

  it('api §5: is the only answer that contains the secret', async () => {
    const { token, secret } = created(await post({ labels: ['one'] }));
    for (const path of ['/tokens', `/tokens/${token}`, '/activities', '/account']) {
      const { status, text } = await server().api(path, { key });
      expect(status).toBe(200);
      expect(text).not.toContain(secret.slice(-32));
    }
    expect(Token.strict().parse((await server().api(`/tokens/${token}`, { key })).json())).toMatchObject({ token });
  });

  it.each<[unknown, string]>([
    [{ kind: 'ship' }, 'kind'],
    [{ kind: null }, 'kind'],
    [{ ttl: 0 }, 'ttl'],
    [{ ttl: 0.5 }, 'ttl'],
    [{ ttl: '3600' }, 'ttl'],
    [{ ttl: 365 * 86_400 + 1 }, 'ttl'],
    [{ ttl: null }, 'ttl'],
    [{ labels: 'one' }, 'labels'],
    [{ labels: ['A b'] }, 'labels.0'],
    [{ labels: [null] }, 'labels.0'],
    [{ labels: Array.from({ length: 11 }, (_, i) => `label-${i}`) }, 'labels'],
  ])('with %j is 400 and names the field, over REST and tRPC', async (body, path) => {
    const rest = await expectRefusal(server(), 'validation_failed', () => post(body));
    expect(rest.details).toEqual({ issues: [expect.objectContaining({ path })] });
    const typed = await postTyped(body);
    expect([typed.status, typed.json<{ error: { data: object } }>().error.data]).toEqual([
      400,
      expect.objectContaining(rest),
    ]);
  });

  it.each(['[]', 'null', '"deploy"', '{', ''])('with the body %j is 400; a missing body is valid', async (body) => {
    if (body === '') return void created(await post(''));
    await expectRefusal(server(), 'validation_failed', () => post(body));
  });

  it('api §9: is the same over tRPC', async () => {
    const answer = await postTyped({ kind: 'api', labels: ['typed'] });
    const token = CreatedToken.strict().parse(dataOf(answer));
    server().secrets.add(token.secret);
    expect(token).toMatchObject({ kind: 'api', labels: ['typed'] });
    const record = (await server().api(`/tokens/${token.token}`, { key })).json();
    const input = encodeURIComponent(JSON.stringify({ token: token.token }));
    expect(dataOf(await server().api(`/trpc/tokens.get?input=${input}`, { key }))).toEqual(record);
  });
});

describe('api §5: GET /tokens', () => {
  it('lists newest first, by pages, the same over REST and tRPC', async () => {
    const { key } = await server().account();
    const createdTokens: string[] = [];
    for (let i = 0; i < 5; i += 1) createdTokens.unshift(created(await post({ labels: [`label-${i}`] }, key)).token);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await server().api(`/tokens?limit=2${cursor && `&cursor=${cursor}`}`, { key });
      const { tokens, nextCursor } = page.json<{ tokens: Token[]; nextCursor?: string }>();
      const input = encodeURIComponent(JSON.stringify({ limit: 2, ...(cursor ? { cursor } : {}) }));
      expect(dataOf(await server().api(`/trpc/tokens.list?input=${input}`, { key }))).toEqual(page.json());
      seen.push(...tokens.map((token) => Token.strict().parse(token).token));
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    expect(seen.slice(0, 5)).toEqual(createdTokens);
    expect(seen).toHaveLength(7);
  });
});

describe('api §5: DELETE /tokens/{token}', () => {
  const revoke = (token: string, credential = key) =>
    server().api(`/tokens/${token}`, { method: 'DELETE', key: credential });

  it('answers 200 with the identifier, then 404', async () => {
    const { token, secret } = created(await post({}));
    const answer = await revoke(token);
    expect([answer.status, answer.json()]).toEqual([200, { token }]);
    expectErrorAnswer(await server().api('/limits', { key: secret }), 'authentication_failed');
    await expectRefusal(server(), 'not_found', () => revoke(token));
    expectErrorAnswer(await server().api(`/tokens/${token}`, { key }), 'not_found');
  });

  it('lets a key revoke itself, even if it is the last one of its account', async () => {
    const { key } = await server().account();
    const { tokens } = (await server().api('/tokens', { key })).json<{ tokens: Token[] }>();
    const ownKey = tokens.find(({ kind }) => kind === 'api');
    expect((await revoke(ownKey!.token, key)).status).toBe(200);
    expectErrorAnswer(await server().api('/account', { key }), 'authentication_failed');
  });

  it('T20: takes effect at once in every process', async () => {
    const { berth, database, dataDir } = server();
    const second = await startBerth(testEnvironment(database, dataDir), berth.core.log);
    try {
      const there = askerOf(second.config.port);
      const { token, secret } = created(await post({}));
      for (let i = 0; i < 3; i += 1) expect((await there.api('/limits', { key: secret })).status).toBe(200);
      await revoke(token);
      expectErrorAnswer(await there.api('/limits', { key: secret }), 'authentication_failed');
      expect((await there.deploy({ a: 'a' }, { key: secret })).status).toBe(401);
    } finally {
      await second.close();
    }
  });

  it('an expired credential is 401 like one that never existed', async () => {
    const { token, secret } = created(await post({ ttl: 1 }));
    await server().database.query(`update token set expires = now() - interval '1 ms' where token = $1`, [token]);
    const [expired, unknown] = [
      await server().api('/limits', { key: secret }),
      await server().api('/limits', { key: `deploy-${'f'.repeat(32)}` }),
    ];
    expectErrorAnswer(expired, 'authentication_failed');
    expect(expired.text).toBe(unknown.text);
    expect((await server().api(`/tokens/${token}`, { key })).status).toBe(200);
  });
});

describe('T22: a token of another account is, byte for byte, like one that never existed', () => {
  const seen = ({ status, headers, text }: Answer): object => {
    const { 'x-request-id': _id, date: _date, ...rest } = headers;
    return { status, headers: rest, text };
  };

  it.each(['GET', 'HEAD', 'DELETE'])('%s, and its call', async (method) => {
    const { key: other } = await server().account();
    const { token } = created(await post({}));
    const gone = created(await post({}, other)).token;
    await server().api(`/tokens/${gone}`, { method: 'DELETE', key: other });
    const request = (reference: string) => server().api(`/tokens/${reference}`, { method, key: other });
    const missing = await request('zzzzzzz');
    expect(missing.status).toBe(404);
    for (const reference of [token, gone, token.toUpperCase(), 'x', 'x'.repeat(300), '%00'])
      expect(seen(await request(reference))).toEqual(seen(missing));
    expect((await server().api(`/tokens/${token}`, { key })).status).toBe(200);
  });
});
