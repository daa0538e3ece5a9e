import type { ErrorBody } from '@berth/contract';
import { expectError, expectRefusal, footprintOf } from '@berth/testing/expectations';
import { rawRequest } from '@berth/testing/raw-socket';
import { type HttpResponse, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const server = useServer({ clean: true });
let siteId: string;
beforeAll(async () => {
  siteId = (await server().publish({ 'index.html': 'home' }, { fields: { labels: '["first"]' } })).deployment;
});

describe('api §2: an unknown path', () => {
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
  ])('gets a 404: %.40s', async (path) => {
    for (const key of [null, OWNER_KEY])
      for (const method of ['GET', 'POST', 'DELETE'])
        expectError(await server().api(path, { method, key }), 'not_found');
  });

  it.each(['/%', '/deployments/%e0%a4', '/account%'])('with invalid encoding gets a 400 or 404: %s', async (path) => {
    const response = await server().api(path);
    expectError(response, response.status === 404 ? 'not_found' : 'validation_failed');
  });

  it.each(['none', '%00', '%0d%0a', '..', '%2e%2e', '%2fetc', "'%20or%201=1", 'x'.repeat(300)])(
    'gets the 404 of a missing deployment if its reference is invalid: %.30s',
    async (reference) => {
      const missing = await server().api('/deployments/calm-otter-zzzzzzz');
      const response = await server().api(`/deployments/${reference}`);
      expectError(response, 'not_found');
      expect(response.text).toBe(missing.text);
    },
  );
});

it.each(['X-HTTP-Method-Override', 'X-HTTP-Method'])('api §2: header %s does not change the method', async (name) => {
  const headers = { [name]: 'DELETE' };
  expectError(await server().api(`/deployments/${siteId}`, { method: 'POST', headers }), 'method_not_allowed');
  const response = await server().api(`/deployments/${siteId}?_method=DELETE`, { headers });
  expect(response.json()).toMatchObject({ status: 'success' });
});

it.each<[string, string | Buffer]>([
  ['a label with NUL', '{"labels":["a\\u0000b"]}'],
  ['a lone surrogate', '{"labels":["\\ud800aa"]}'],
  ['labels in a prototype', '{"__proto__":{"labels":["one"]}}'],
  ['a byte order mark of another encoding', Buffer.from('\ufeff{"labels":[]}', 'utf16le')],
])('T23: a JSON body with %s gets a 400', async (_, body) => {
  await expectRefusal(server(), 'validation_failed', () =>
    server().api(`/deployments/${siteId}`, { method: 'PATCH', body, headers: JSON_TYPE }),
  );
});

it.each(['__proto__=1', 'limit[]=x', 'limit[$gt]=1', '%00=%00', '&&&', '=', 'a=%', 'x='.repeat(2_000)])(
  'api §1: the unknown query parameters %.20s are ignored',
  async (query) => {
    expect((await server().api(`/deployments?${query}`)).status).toBe(200);
  },
);

it('api §2: every response has its own request id, which the client cannot choose', async () => {
  const paths = ['/ping', '/nowhere', '/ping'];
  const responses = await Promise.all(paths.map((path) => server().api(path, { headers: { 'X-Request-Id': 'mine' } })));
  const ids = responses.map(({ headers }) => headers['x-request-id']);
  expect(new Set(['mine', ...ids]).size).toBe(4);
});

function expectUnauthenticated(response: HttpResponse): void {
  expectError(response, 'authentication_failed');
  expect(response.headers['www-authenticate']).toBe('Bearer');
}

describe('api §1: the credential of a request', () => {
  it.each([
    ['an empty text', ''],
    ['an unknown key', `Bearer ship-${'f'.repeat(32)}`],
    ['a hash', `Bearer ${'0'.repeat(64)}`],
    ['a text of 8,000 characters', `Bearer ship-${'a'.repeat(8_000)}`],
    ['a text with other characters than ASCII', 'Bearer ship-\u00e9'],
  ])('is refused with 401 at every path, and changes nothing, if it is %s', async (_, authorization) => {
    const headers = { Authorization: authorization };
    await expectRefusal(server(), 'authentication_failed', () =>
      server().deploy({ 'index.html': 'home' }, { key: null, headers }),
    );
    for (const path of ['/account', '/plans', '/config', '/deployments'])
      expectUnauthenticated(await server().api(path, { key: null, headers }));
  });

  it.each(['bearer', 'BEARER', 'BeArEr'])('RFC 9110: may follow the scheme %s', async (scheme) => {
    for (const authorization of [`${scheme} ${OWNER_KEY}`, `${scheme}   ${OWNER_KEY}  `]) {
      const response = await server().api('/account', { key: null, headers: { Authorization: authorization } });
      expect(response.status).toBe(200);
    }
  });

  it('is not replaced by a second Authorization header', async () => {
    const line = (credential: string) => `Authorization: Bearer ${credential}`;
    const sendBoth = (first: string, second: string) =>
      rawRequest(server().port, 'GET /account HTTP/1.1', [
        `Host: localhost:${server().port}`,
        line(first),
        line(second),
      ]);
    expect((await sendBoth('nonsense', OWNER_KEY)).status).toBe(401);
    expect([200, 401]).toContain((await sendBoth(OWNER_KEY, 'nonsense')).status);
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
    const deleteAs = (credential: string | null) => server().api(path, { method: 'DELETE', key: credential });
    await expectRefusal(server(), 'forbidden', () => deleteAs(deployToken));
    await expectRefusal(server(), 'authentication_failed', () => deleteAs(null));
  }
});

describe('tRPC requests', () => {
  it('T21: fail one by one in a batch, but fail as a whole if the credential is invalid', async () => {
    const batch = (key: string | null) => server().api('/trpc/plans.list,account.get?batch=1', { key });
    const response = await batch(null);
    const [plans, account] = response.json<[{ result?: object }, { error?: { data: ErrorBody } }]>();
    expect([response.status, plans.result !== undefined, account.error?.data.error]).toEqual([
      207,
      true,
      'authentication_failed',
    ]);
    expect((await batch('x')).status).toBe(401);
  });

  it('F8: cannot deploy, because the procedure deployments.create does not exist', async () => {
    const footprintBefore = await footprintOf(server());
    const response = await server().api('/trpc/deployments.create', { method: 'POST', json: {} });
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({ error: { data: { error: 'not_found', status: 404 } } });
    expect(await footprintOf(server())).toEqual(footprintBefore);
  });

  it('need no input where REST needs neither a query nor a body', async () => {
    const { key } = await server().account();
    for (const collection of ['deployments', 'domains', 'tokens', 'activities']) {
      const trpcResponse = await server().api(`/trpc/${collection}.list`, { key });
      expect(trpcResponse.json()).toEqual({ result: { data: (await server().api(`/${collection}`, { key })).json() } });
    }
    const created = await server().api('/trpc/tokens.create', { method: 'POST', key, headers: JSON_TYPE });
    const { data } = created.json<{ result: { data: { secret: string } } }>().result;
    expect(data).toMatchObject({ kind: 'deploy', labels: [], expires: null });
    server().secrets.add(data.secret);
  });
});
