import { closeClean } from '@berth/testing/expectations';
import { startServer, type TestServer } from '@berth/testing/server';
import { describe, expect, it } from 'vitest';
import { cookiesNamed } from '../../src/http/cookies.ts';
import { cookieForm } from '../../src/site-host/unlock-cookie.ts';
import { cookieOf, enterPassword } from './unlocking.ts';

const PASSWORD = 'open-sesame-84c1';

async function withServer(env: Record<string, string>, work: (server: TestServer, site: string) => Promise<void>) {
  const server = await startServer({ env: { BASE_URL: 'http://berth.test', PLATFORM_DOMAIN: 'sites.test', ...env } });
  try {
    const form = { 'index.html': 'the page' };
    const deployment = await server.publish(form, { fields: { password: PASSWORD }, headers: { Host: 'berth.test' } });
    await work(server, deployment.url);
  } finally {
    await closeClean(server, { secrets: [PASSWORD], faults: env['ALLOW_INSECURE'] !== undefined });
  }
}

const submitPassword = (server: TestServer, site: string, headers: Record<string, string> = {}) =>
  enterPassword(server, site, { password: PASSWORD }, { headers });

describe('security §7: the unlock cookie follows the public scheme, not the socket or a header', () => {
  it('and over https is named __Host- and is Secure, and no other name is accepted', () =>
    withServer({ BASE_URL: 'https://berth.test' }, async (server, site) => {
      const response = await submitPassword(server, site);
      expect(String(response.headers['set-cookie'])).toMatch(
        /^__Host-berth-unlock=v1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/,
      );
      const cookie = cookieOf(response);
      expect((await server.visit(site, '/', { headers: { Cookie: cookie } })).text).toBe('the page');
      for (const Cookie of [
        cookie.replace('__Host-', ''),
        cookie.replace('__Host-', '__host-'),
        `${cookie}; ${cookie}`,
      ])
        expect((await server.visit(site, '/', { headers: { Cookie } })).status, Cookie).toBe(401);
    }));

  it('and does not exist over plain http, where the page says that https is required', () =>
    withServer({}, async (server, site) => {
      const page = await server.visit(site, '/', { headers: { 'X-Forwarded-Proto': 'https' } });
      expect([page.status, page.text.includes('<form'), page.headers['cache-control']]).toEqual([
        401,
        false,
        'private, no-store',
      ]);
      expect(page.headers['www-authenticate']).toBe('Password realm="site"');
      expect(page.text).toContain('This site opens over https only');
      const refusedUnlock = await submitPassword(server, site, { 'X-Forwarded-Proto': 'https' });
      expect([refusedUnlock.status, refusedUnlock.text, refusedUnlock.headers['set-cookie']]).toEqual([
        401,
        page.text,
        undefined,
      ]);
    }));

  it('and over plain http with ALLOW_INSECURE has neither __Host- nor Secure, and a warning is logged at the start', () =>
    withServer({ ALLOW_INSECURE: '1' }, async (server, site) => {
      const response = await submitPassword(server, site);
      expect(String(response.headers['set-cookie'])).toMatch(
        /^berth-unlock=v1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
      );
      expect((await server.visit(site, '/', { headers: { Cookie: cookieOf(response) } })).text).toBe('the page');
      expect(server.logged.filter(({ level }) => level === 'warn')).toMatchObject([
        { message: expect.stringContaining('ALLOW_INSECURE is on') },
      ]);
    }));

  it.each([
    ['site.localhost', 'http', false, 'berth-unlock'],
    ['site.localhost', 'https', false, '__Host-berth-unlock'],
    ['localhost.example', 'http', false, undefined],
    ['sitelocalhost', 'http', false, undefined],
    ['bakery.example', 'http', true, 'berth-unlock'],
    ['bakery.example', 'https', true, '__Host-berth-unlock'],
  ] as const)('and at %s over %s with ALLOW_INSECURE %s is named %s', (host, publicScheme, allowInsecure, name) => {
    expect(cookieForm(host, { publicScheme, allowInsecure })?.name).toBe(name);
  });

  it.each([
    [undefined, []],
    ['', []],
    ['a=1', []],
    ['name=', ['']],
    ['name', []],
    ['a=1; name=x=y; b', ['x=y']],
    ['name=1;name=2;  name=3', ['1', '2', '3']],
    ['xname=1; Name=2; name =3; na=me=4', []],
  ])('and in the Cookie header %j has the values %j', (header, expected) => {
    expect(cookiesNamed('name', header)).toEqual(expected);
  });
});
