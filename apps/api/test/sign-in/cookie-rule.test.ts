import { createOwnerLink } from '@berth/core';
import { startServer, type TestServer } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieRefusal, consoleCookies } from '../../src/api-host/sign-in/browsers.ts';
import { createBrowser, dataOf, FROM_CONSOLE } from './browser.ts';

const server = useServer();
let cookie: string;
let account: string;

async function signInOwner(to: TestServer, headers: Record<string, string> = FROM_CONSOLE) {
  const browser = createBrowser(to.port, { headers });
  const url = await createOwnerLink(to.berth.core);
  const response = await browser.call('signIn.useLink', { secret: new URL(url).hash.slice('#first='.length) });
  return { browser, response };
}

beforeAll(async () => {
  const { browser, response } = await signInOwner(server());
  expect(response.status).toBe(200);
  cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  ({ account } = dataOf<{ account: string }>(await browser.query('account.get')));
});

describe('T43: the cookie of the console', () => {
  it('is host-only, invisible to scripts and strict, and its name has the port on plain http', async () => {
    const { response } = await signInOwner(server());
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^berth-session-${server().port}=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000$`),
      ),
    ]);
    const { session, proof } = consoleCookies(new URL('https://berth.example.com'));
    expect(session).toMatchObject({
      name: '__Host-berth-session',
      attributes: 'Path=/; HttpOnly; SameSite=Strict; Secure',
    });
    expect(proof).toMatchObject({ name: '__Host-berth-proof', attributes: 'Path=/; HttpOnly; SameSite=Lax; Secure' });
  });

  const site = (value: string) => ({ 'Sec-Fetch-Site': value });
  const origin = (port: number) => `http://localhost:${port}`;
  it.each<[string, boolean, (port: number) => Record<string, string>, method?: 'GET' | 'POST']>([
    ['a page of the console', true, () => site('same-origin')],
    ['a site beside the console', false, () => site('same-site')],
    ['a page of another site', false, () => site('cross-site')],
    ['an address that a person typed', false, () => site('none')],
    ['a page that claims several', false, () => site('same-origin, cross-site')],
    ['a browser without Fetch Metadata', false, () => ({})],
    ['a page of the console on plain http', true, () => ({ 'X-Berth-Console': '1' })],
    ['another origin with the header', false, () => ({ 'X-Berth-Console': '1', Origin: 'http://evil.test' })],
    ['a frame with the header', false, () => ({ 'X-Berth-Console': '1', Origin: 'null' })],
    ['a change on plain http with both', true, (port) => ({ 'X-Berth-Console': '1', Origin: origin(port) }), 'POST'],
    ['a change on plain http without an origin', false, () => ({ 'X-Berth-Console': '1' }), 'POST'],
    ['a change on plain http without the header', false, (port) => ({ Origin: origin(port) }), 'POST'],
    ['a site that adds the header', false, () => ({ ...site('same-site'), 'X-Berth-Console': '1' })],
  ])('of %s counts: %s', async (_, counts, headers, method = 'GET') => {
    const { port } = server();
    const options = { headers: { Cookie: cookie, ...headers(port) } };
    const browser = createBrowser(port, { headers: {} });
    const response =
      method === 'GET'
        ? await browser.query('account.get', options)
        : await browser.call('session.choose', { account }, options);
    expect(response.status).toBe(counts ? 200 : 401);
    expect(response.text.includes('owner@localhost')).toBe(counts && method === 'GET');
  });

  it.each<[string, string, string, 401 | 200]>([
    ['GET', '/account', 'REST', 401],
    ['GET', '/deployments', 'REST', 401],
    ['POST', '/account/claim', 'REST', 401],
    ['DELETE', '/account', 'REST', 401],
    ['POST', '/tokens', 'REST', 401],
    ['GET', '/activities', 'REST', 401],
    ['GET', '/session', 'a page of the console', 200],
    ['GET', '/trpc/account.get', 'tRPC', 200],
  ])('with %s %s of %s answers %4$s', async (method, path, _, status) => {
    const json = method === 'GET' ? undefined : {};
    const response = await createBrowser(server().port).request(path, { method, headers: { Cookie: cookie }, json });
    expect(response.status).toBe(status);
  });

  it('reads a domain of its account and publishes at it, as an API key does', async () => {
    const domain = `kiosk.${server().berth.config.platformHost}`;
    const { deployment: base } = await server().publish({ 'index.html': 'x' });
    const browser = createBrowser(server().port, { headers: { ...FROM_CONSOLE, Cookie: cookie } });
    const begun = await browser.call('deployments.begin', { base, put: [], remove: [], domain });
    expect(begun.status).toBe(200);
    const { upload } = dataOf<{ upload: string }>(begun);
    const committed = await browser.call('deployments.commit', { upload });
    expect(committed.status).toBe(200);
    const { deployment } = dataOf<{ deployment: string }>(committed);
    const read = await browser.query(`domains.get?input=${encodeURIComponent(JSON.stringify({ domain }))}`);
    expect(dataOf(read)).toMatchObject({ domain, deployment });
  });

  it('downloads a deployment of its account', async () => {
    const { deployment } = await server().publish({ 'index.html': 'x' });
    const path = `/deployments/${deployment}/archive`;
    const browser = createBrowser(server().port);
    expect((await browser.request(path, { headers: { Cookie: cookie } })).status).toBe(200);
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-site' };
    expect((await browser.request(path, { headers })).status).toBe(401);
  });

  it('is not read beside a bearer credential', async () => {
    const options = { key: `ship-${'f'.repeat(32)}`, headers: { Cookie: cookie } };
    expect((await createBrowser(server().port).query('account.get', options)).status).toBe(401);
  });

  it.each([
    ['two of its name', (value: string) => `${value}; ${value}`],
    ['one with another secret first', (value: string) => `${value.split('=')[0]}=${'0'.repeat(32)}; ${value}`],
    ['one in quotes', (value: string) => value.replace(/=(.*)/, '="$1"')],
  ])('counts as none: %s', async (_, change) => {
    const response = await createBrowser(server().port).query('account.get', { headers: { Cookie: change(cookie) } });
    expect(response.status).toBe(401);
  });

  it('lets pages of other origins read nothing with it', async () => {
    const response = await createBrowser(server().port).query('account.get', { headers: { Cookie: cookie } });
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    expect(response.headers['cache-control']).toBe('no-store');
    const preflight = await createBrowser(server().port).request('/trpc/account.get', { method: 'OPTIONS' });
    expect(preflight.headers['access-control-allow-headers']).not.toMatch(/x-berth-console/i);
  });

  it('is removed by signing out, and its session is gone', async () => {
    const { browser } = await signInOwner(server());
    const before = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect(dataOf(await browser.query('session.get'))).toMatchObject({
      signedIn: { person: { email: 'owner@localhost' } },
    });
    expect((await browser.call('session.end')).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    const replay = await createBrowser(server().port).query('session.get', { headers: { Cookie: before } });
    expect(dataOf(replay)).toMatchObject({ signedIn: null });
  });
});

it.each([
  ['https://berth.example.com', false, true],
  ['http://localhost:4000', false, true],
  ['http://berth.localhost:4000', false, true],
  ['http://127.0.0.1:4000', false, true],
  ['http://[::1]:4000', false, true],
  ['http://berth.home', false, false],
  ['http://192.168.1.20:4000', false, false],
  ['http://localhost.evil.test', false, false],
  ['http://berth.home', true, true],
])('api §13: at %s with ALLOW_INSECURE=%s people can sign in: %s', (url, allowInsecure, canSignIn) => {
  expect(cookieRefusal(new URL(url), allowInsecure) === null).toBe(canSignIn);
});

describe('T43: on https', () => {
  let secure: TestServer;
  beforeAll(async () => {
    secure = await startServer({
      env: { BASE_URL: 'https://localhost', PLATFORM_DOMAIN: 'sites.localhost' },
    });
  });
  afterAll(() => secure.close());

  it('a browser without Fetch Metadata is no one, whatever headers it sends', async () => {
    const { browser } = await signInOwner(secure);
    expect([...browser.cookies.keys()]).toEqual(['__Host-berth-session']);
    expect((await browser.query('account.get')).status).toBe(200);
    const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Cookie, 'X-Berth-Console': '1', Origin: 'https://localhost' };
    expect((await createBrowser(secure.port, { headers: {} }).query('account.get', { headers })).status).toBe(401);
  });
});
