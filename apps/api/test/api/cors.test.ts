import { expectRefusal } from '@berth/testing/expectations';
import { type Answer, type Ask, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });
let site: string;
beforeAll(async () => {
  site = (await server().publish({ 'index.html': 'home' })).url;
});

const HOME = { 'index.html': 'home' };
const consoleOrigin = () => `http://localhost:${server().port}`;
/** Origins of pages that are not the console. */
const FOREIGN: [string, () => string][] = [
  ['a foreign site', () => 'https://evil.example'],
  ['a sandboxed page', () => 'null'],
  ['a site of ours', () => site],
  ['the console on another port', () => 'http://localhost:1'],
  ['the console over https', () => consoleOrigin().replace('http:', 'https:')],
  ['the console with a slash', () => `${consoleOrigin()}/`],
  ['the console as a suffix', () => `http://evil.${new URL(consoleOrigin()).host}`],
  ['the console in capitals', () => consoleOrigin().toUpperCase()],
  ['two origins', () => `${consoleOrigin()}, https://evil.example`],
  ['nothing', () => ''],
];

describe('T14, api §3: an anonymous deploy that a page sends', () => {
  it.each(FOREIGN)('from %s is 403', async (_, origin) => {
    await expectRefusal(server(), 'forbidden', () =>
      server().deploy(HOME, { key: null, headers: { Origin: origin() } }),
    );
  });

  it('from the console is 201, as is one that was not sent by a page', async () => {
    expect((await server().deploy(HOME, { key: null, headers: { Origin: consoleOrigin() } })).status).toBe(201);
    expect((await server().deploy(HOME, { key: null })).status).toBe(201);
  });

  it('from a foreign site is 201 with a credential, and 401 with an invalid one', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await server().deploy(HOME, { headers })).status).toBe(201);
    await expectRefusal(server(), 'authentication_failed', () => server().deploy(HOME, { key: 'nonsense', headers }));
  });

  it('with a cookie counts as anonymous', async () => {
    const cookie = { Cookie: `session=${OWNER_KEY}; Authorization=Bearer ${OWNER_KEY}` };
    expect((await server().deploy(HOME, { key: null, headers: cookie })).json()).toHaveProperty('claim');
    await expectRefusal(server(), 'authentication_failed', () =>
      server().api('/account', { key: null, headers: cookie }),
    );
  });
});

/** Any page may read the answer, and no browser sends credentials of its own. */
function expectReadable(headers: Answer['headers']): void {
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
}

describe('T14: CORS', () => {
  const ENDPOINTS: [string, Ask, number][] = [
    ['/deployments', {}, 200],
    ['/deployments', { method: 'POST', body: '' }, 400],
    ['/deployments', { method: 'PUT' }, 405],
    ['/deployments/none', {}, 404],
    ['/account', { key: null }, 401],
    ['/limits', { key: 'nonsense' }, 401],
    ['/config', {}, 301],
    ['/plans', { key: null }, 200],
    ['/healthz', { key: null }, 200],
    ['/openapi.json', { key: null }, 200],
    ['/nowhere', {}, 404],
    ['/trpc/account.get', {}, 200],
    ['/trpc/account.get', { key: null }, 401],
    ['/trpc/none', {}, 404],
  ];
  it.each(ENDPOINTS)('%s %o is readable by any page, and never with ambient credentials', async (path, ask, status) => {
    for (const origin of [null, 'https://evil.example', 'null', site, consoleOrigin()]) {
      const answer = await server().api(path, { ...ask, headers: origin === null ? {} : { Origin: origin } });
      const { headers } = answer;
      expect(answer.status).toBe(status);
      expectReadable(headers);
      expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
        expect.arrayContaining(['X-Request-Id', 'Idempotency-Replay', 'Retry-After']),
      );
    }
  });

  it.each(['/deployments', '/deployments/none', '/nowhere', '/trpc/account.get', '/healthz', '/openapi.json'])(
    'a preflight of %s lists what a client needs',
    async (path) => {
      const asked = {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'DELETE',
        'Access-Control-Request-Headers': 'authorization,x-evil',
      };
      const { status, headers, text } = await server().api(path, { method: 'OPTIONS', key: null, headers: asked });
      expect([status, text]).toEqual([204, '']);
      expectReadable(headers);
      const list = (name: string) => String(headers[name]).split(', ');
      const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
      expect(list('access-control-allow-methods').toSorted()).toEqual(methods);
      const allowed = list('access-control-allow-headers');
      expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key']));
      expect(allowed).not.toContain('x-evil');
    },
  );

  it('the pages of the API host and the sites cannot be read by other pages', async () => {
    const ask = { key: null, headers: { Origin: 'https://evil.example' } };
    const pages = ['/', '/docs', '/docs/reference.js'].map((path) => server().api(path, ask));
    for (const { status, headers } of await Promise.all([...pages, server().visit(site, '/', ask)])) {
      expect([200, 302]).toContain(status);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
