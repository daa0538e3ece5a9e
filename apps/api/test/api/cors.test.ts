import { expectRefusal } from '@berth/testing/expectations';
import { type HttpResponse, OWNER_KEY, type RequestOptions } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const server = useServer({ clean: true });
let siteUrl: string;
beforeAll(async () => {
  siteUrl = (await server().publish({ 'index.html': 'home' })).url;
});

const HOME = { 'index.html': 'home' };
const consoleOrigin = () => `http://localhost:${server().port}`;
/** Kinds of pages that are not the console, with their origins. */
const FOREIGN_ORIGINS: [string, () => string][] = [
  ['a foreign site', () => 'https://evil.example'],
  ['a sandboxed page', () => 'null'],
  ['a site of ours', () => siteUrl],
  ['the console on another port', () => 'http://localhost:1'],
  ['the console over https', () => consoleOrigin().replace('http:', 'https:')],
  ['the console with a slash', () => `${consoleOrigin()}/`],
  ['the console as a suffix', () => `http://evil.${new URL(consoleOrigin()).host}`],
  ['the console in capitals', () => consoleOrigin().toUpperCase()],
  ['two origins', () => `${consoleOrigin()}, https://evil.example`],
  ['an empty origin', () => ''],
];

describe('T14, api §3: an anonymous deploy', () => {
  it.each(FOREIGN_ORIGINS)('is refused with 403 if the page that sends it has the origin of %s', async (_, origin) => {
    await expectRefusal(server(), 'forbidden', () =>
      server().deploy(HOME, { key: null, headers: { Origin: origin() } }),
    );
  });

  it('is accepted from the console, and from clients that are not pages', async () => {
    expect((await server().deploy(HOME, { key: null, headers: { Origin: consoleOrigin() } })).status).toBe(201);
    expect((await server().deploy(HOME, { key: null })).status).toBe(201);
  });

  it('from a page of another site is accepted only after a valid credential is added', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await server().deploy(HOME, { headers })).status).toBe(201);
    await expectRefusal(server(), 'authentication_failed', () => server().deploy(HOME, { key: 'nonsense', headers }));
  });

  it('remains anonymous if it has a cookie with a credential', async () => {
    const cookie = { Cookie: `session=${OWNER_KEY}; Authorization=Bearer ${OWNER_KEY}` };
    expect((await server().deploy(HOME, { key: null, headers: cookie })).json()).toHaveProperty('claim');
    await expectRefusal(server(), 'authentication_failed', () =>
      server().api('/account', { key: null, headers: cookie }),
    );
  });
});

/** Checks that any page may read the response, and that no browser adds its own credentials. */
function expectReadable(headers: HttpResponse['headers']): void {
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
}

describe('T14: CORS', () => {
  const ENDPOINTS: [string, RequestOptions, number][] = [
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
  it.each(ENDPOINTS)('lets any page read %s %o, but never with ambient credentials', async (path, options, status) => {
    for (const origin of [null, 'https://evil.example', 'null', siteUrl, consoleOrigin()]) {
      const response = await server().api(path, { ...options, headers: origin === null ? {} : { Origin: origin } });
      const { headers } = response;
      expect(response.status).toBe(status);
      expectReadable(headers);
      expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
        expect.arrayContaining(['X-Request-Id', 'Idempotency-Replay', 'Retry-After']),
      );
    }
  });

  it.each(['/deployments', '/deployments/none', '/nowhere', '/trpc/account.get', '/healthz', '/openapi.json'])(
    'lists in the preflight of %s all methods and headers that a client needs',
    async (path) => {
      const preflight = {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'DELETE',
        'Access-Control-Request-Headers': 'authorization,x-evil',
      };
      const { status, headers, text } = await server().api(path, { method: 'OPTIONS', key: null, headers: preflight });
      expect([status, text]).toEqual([204, '']);
      expectReadable(headers);
      const valuesOf = (name: string) => String(headers[name]).split(', ');
      const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
      expect(valuesOf('access-control-allow-methods').toSorted()).toEqual(methods);
      const allowed = valuesOf('access-control-allow-headers');
      expect(allowed).toEqual(expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key']));
      expect(allowed).not.toContain('x-evil');
    },
  );

  it('does not let other pages read the pages of the API host and of the sites', async () => {
    const options = { key: null, headers: { Origin: 'https://evil.example' } };
    const pages = ['/', '/docs', '/docs/reference.js'].map((path) => server().api(path, options));
    for (const { status, headers } of await Promise.all([...pages, server().visit(siteUrl, '/', options)])) {
      expect(status).toBe(200);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
