import type { ErrorBody } from '@berth/contract';
import { expectErrorAnswer, expectRefusal, footprintOf } from '@berth/testing/expectations';
import { ask as askRaw } from '@berth/testing/raw-socket';
import { type Answer, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const server = useServer({ clean: true });
let site: string;
beforeAll(async () => {
  site = (await server().publish({ 'index.html': 'home' }, { fields: { labels: '["first"]' } })).deployment;
});

describe('api §2: an unknown path is 404', () => {
  it.each([
    '/nowhere',
    '/Deployments',
    '/deployments/',
    '/deployments/a/b',
    '/account/',
    '//account',
    '/account//',
    '/account/.',
    '/./account',
    '/x/../account',
    '/account%2f',
    '/account%20',
    '/account;x=1',
    '/%61ccount/x',
    '/v1/account',
    '/activities/watch',
    '/.env',
    '/docs/../package.json',
    '/trpc',
    '/trpc/',
    '/trpc/a/b',
    '/__proto__',
    '/constructor',
    '/*',
    '/' + 'x'.repeat(8000),
  ])('%.40s', async (path) => {
    for (const key of [null, OWNER_KEY])
      for (const method of ['GET', 'POST', 'DELETE'])
        expectErrorAnswer(await server().api(path, { method, key }), 'not_found');
  });

  it.each(['/%', '/deployments/%e0%a4', '/account%'])('%s, with an invalid encoding, is 400 or 404', async (path) => {
    const answer = await server().api(path);
    expectErrorAnswer(answer, answer.status === 404 ? 'not_found' : 'validation_failed');
  });

  it.each(['none', '%00', '%0d%0a', '..', '%2e%2e', '%2fetc', "'%20or%201=1", 'x'.repeat(300)])(
    'a reference that cannot be a deployment gets the 404 of a missing one: %.30s',
    async (reference) => {
      const missing = await server().api('/deployments/calm-otter-zzzzzzz');
      const answer = await server().api(`/deployments/${reference}`);
      expectErrorAnswer(answer, 'not_found');
      expect(answer.text).toBe(missing.text);
    },
  );
});

it.each(['X-HTTP-Method-Override', 'X-HTTP-Method'])('api §2: %s does not change the method', async (name) => {
  const headers = { [name]: 'DELETE' };
  expectErrorAnswer(await server().api(`/deployments/${site}`, { method: 'POST', headers }), 'method_not_allowed');
  const answer = await server().api(`/deployments/${site}?_method=DELETE`, { headers });
  expect(answer.json()).toMatchObject({ status: 'success' });
});

it.each<[string, string | Buffer]>([
  ['a label with NUL', '{"labels":["a\\u0000b"]}'],
  ['a lone surrogate', '{"labels":["\\ud800aa"]}'],
  ['labels in a prototype', '{"__proto__":{"labels":["one"]}}'],
  ['a byte order mark of another encoding', Buffer.from('\ufeff{"labels":[]}', 'utf16le')],
])('T23: a JSON body with %s is 400', async (_, body) => {
  await expectRefusal(server(), 'validation_failed', () =>
    server().api(`/deployments/${site}`, { method: 'PATCH', body, headers: JSON_TYPE }),
  );
});

it.each(['__proto__=1', 'limit[]=x', 'limit[$gt]=1', '%00=%00', '&&&', '=', 'a=%', 'x='.repeat(2_000)])(
  'api §1: the unknown query parameters %.20s are ignored',
  async (query) => {
    expect((await server().api(`/deployments?${query}`)).status).toBe(200);
  },
);

it('api §2: every answer has its own id, which the client cannot choose', async () => {
  const paths = ['/ping', '/nowhere', '/ping'];
  const answers = await Promise.all(paths.map((path) => server().api(path, { headers: { 'X-Request-Id': 'mine' } })));
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(['mine', ...ids]).size).toBe(4);
});

function expectUnauthenticated(answer: Answer): void {
  expectErrorAnswer(answer, 'authentication_failed');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

describe('api §1: the credential of a request', () => {
  it.each([
    ['empty', ''],
    ['an unknown key', `Bearer ship-${'f'.repeat(32)}`],
    ['a hash', `Bearer ${'0'.repeat(64)}`],
    ['of 8,000 characters', `Bearer ship-${'a'.repeat(8_000)}`],
    ['not ASCII', 'Bearer ship-\u00e9'],
  ])('is 401 everywhere, and changes nothing, if it is %s', async (_, authorization) => {
    const headers = { Authorization: authorization };
    await expectRefusal(server(), 'authentication_failed', () =>
      server().deploy({ 'index.html': 'home' }, { key: null, headers }),
    );
    for (const path of ['/account', '/plans', '/config', '/deployments'])
      expectUnauthenticated(await server().api(path, { key: null, headers }));
  });

  it.each(['bearer', 'BEARER', 'BeArEr'])('RFC 9110: may follow the scheme %s', async (scheme) => {
    for (const authorization of [`${scheme} ${OWNER_KEY}`, `${scheme}   ${OWNER_KEY}  `]) {
      const answer = await server().api('/account', { key: null, headers: { Authorization: authorization } });
      expect(answer.status).toBe(200);
    }
  });

  it('is not replaced by a second Authorization header', async () => {
    const line = (credential: string) => `Authorization: Bearer ${credential}`;
    const both = (one: string, other: string) =>
      askRaw(server().port, 'GET /account HTTP/1.1', [`Host: localhost:${server().port}`, line(one), line(other)]);
    expect((await both('nonsense', OWNER_KEY)).status).toBe(401);
    expect([200, 401]).toContain((await both(OWNER_KEY, 'nonsense')).status);
  });

  it('is ignored in the query and in other headers', async () => {
    for (const path of [`/account?access_token=${OWNER_KEY}`, `/account?authorization=Bearer%20${OWNER_KEY}`])
      expectUnauthenticated(await server().api(path, { key: null }));
    const headers = {
      'X-Api-Key': OWNER_KEY,
      Cookie: `token=${OWNER_KEY}`,
      'Proxy-Authorization': `Bearer ${OWNER_KEY}`,
    };
    expectUnauthenticated(await server().api('/account', { key: null, headers }));
  });
});

it('T21: a call that its credential does not allow changes nothing', async () => {
  const { key, deployToken } = await server().account();
  const { deployment } = await server().publish({ 'index.html': 'home' }, { key });
  const { tokens } = (await server().api('/tokens', { key })).json<{ tokens: { token: string }[] }>();
  for (const path of [`/deployments/${deployment}`, `/tokens/${tokens[0]!.token}`]) {
    const remove = (credential: string | null) => server().api(path, { method: 'DELETE', key: credential });
    await expectRefusal(server(), 'forbidden', () => remove(deployToken));
    await expectRefusal(server(), 'authentication_failed', () => remove(null));
  }
});

describe('tRPC requests', () => {
  it('T21: a batch has a refused call fail on its own, and fails as a whole with an invalid credential', async () => {
    const batch = (key: string | null) => server().api('/trpc/plans.list,account.get?batch=1', { key });
    const answer = await batch(null);
    const [plans, account] = answer.json<[{ result?: object }, { error?: { data: ErrorBody } }]>();
    expect([answer.status, plans.result !== undefined, account.error?.data.error]).toEqual([
      207,
      true,
      'authentication_failed',
    ]);
    expect((await batch('x')).status).toBe(401);
  });

  it('F8: cannot deploy: the procedure deployments.create does not exist', async () => {
    const before = await footprintOf(server());
    const answer = await server().api('/trpc/deployments.create', { method: 'POST', json: {} });
    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ error: { data: { error: 'not_found', status: 404 } } });
    expect(await footprintOf(server())).toEqual(before);
  });

  it('need no input where REST needs no query and no body', async () => {
    const { key } = await server().account();
    for (const list of ['deployments', 'domains', 'tokens', 'activities']) {
      const typed = await server().api(`/trpc/${list}.list`, { key });
      expect(typed.json()).toEqual({ result: { data: (await server().api(`/${list}`, { key })).json() } });
    }
    const created = await server().api('/trpc/tokens.create', { method: 'POST', key, headers: JSON_TYPE });
    const { data } = created.json<{ result: { data: { secret: string } } }>().result;
    expect(data).toMatchObject({ kind: 'deploy', labels: [], expires: null });
    server().secrets.add(data.secret);
  });
});
