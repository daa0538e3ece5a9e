import { rawRequest } from '@berth/testing/raw-socket';
import type { HttpResponse } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, enterPassword } from '../site-host/unlocking.ts';

const PASSWORD = 'open-sesame-84c1';
const MARKER = 'MARKER-OF-PROTECTED-BYTES';
const FILES = { 'index.html': `<p>${MARKER}</p>`, 'large.bin': MARKER.repeat(8_000), '404.html': MARKER };
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];

const server = useServer({ clean: { secrets: [PASSWORD] } });
let siteId: string;
/** The entity tag of the front page of a public site with the same files. */
let etag: string;
beforeAll(async () => {
  const { deployment } = await server().publish(FILES);
  etag = String((await server().visit(deployment)).headers['etag']);
  siteId = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
});

/** Returns the text of a response, without the requested address in the unlock form. */
const textWithoutNext = ({ text }: HttpResponse) => text.replace(/name="next" value="[^"]*"/, 'name="next"');

describe('T16, S58: a locked site', () => {
  let unlockPage: HttpResponse;
  beforeAll(async () => {
    unlockPage = await server().visit(siteId);
  });

  it('responds with the unlock page, which contains no byte of the site', () => {
    expect(unlockPage.status).toBe(401);
    expect(unlockPage.headers).toMatchObject({
      'www-authenticate': 'Password realm="site"',
      vary: 'Accept-Language, Cookie',
    });
    expect(unlockPage.text).not.toContain(MARKER);
  });

  it.each<[string, () => Record<string, string>]>([
    ['a matching If-None-Match', () => ({ 'If-None-Match': etag })],
    ['a matching If-Range', () => ({ Range: 'bytes=0-10', 'If-Range': etag })],
    ['an API key', () => ({ Authorization: `Bearer ${server().secrets.values().next().value!}` })],
    ['the password as a bearer token', () => ({ Authorization: `Bearer ${PASSWORD}` })],
    [
      'the password with Basic authentication',
      () => ({ Authorization: `Basic ${Buffer.from(`:${PASSWORD}`).toString('base64')}` }),
    ],
    ['the password as a cookie', () => ({ Cookie: `berth-unlock=${PASSWORD}` })],
    ['a forged cookie', () => ({ Cookie: '__Host-berth-unlock=v1.0.e30.AAAA' })],
    ['another method in a header', () => ({ 'X-HTTP-Method-Override': 'GET' })],
    ['another path in headers', () => ({ 'X-Original-URL': '/index.html', 'X-Rewrite-URL': '/index.html' })],
    [
      'another host in headers',
      () => ({ 'X-Forwarded-Host': `localhost:${server().port}`, Forwarded: 'host=localhost' }),
    ],
    ['cache headers', () => ({ 'Cache-Control': 'only-if-cached', Pragma: 'no-cache' })],
    ['Accept headers', () => ({ 'Accept-Encoding': 'gzip, br', Accept: 'text/plain' })],
    ['a protocol upgrade', () => ({ Upgrade: 'websocket', Connection: 'Upgrade' })],
  ])('responds to a request with %s with the unlock page', async (_, headersOf) => {
    for (const path of ['/index.html', '/large.bin', '/missing'])
      for (const method of METHODS) {
        const response = await server().visit(siteId, path, { method, headers: headersOf() });
        const text = method === 'HEAD' ? '' : textWithoutNext(unlockPage);
        expect([method, path, response.status, textWithoutNext(response)]).toEqual([method, path, 401, text]);
      }
  });

  it('responds to every spelling of its host with the unlock page', async () => {
    const name = `${siteId}.localhost`;
    for (const host of [name, `${name}:${server().port}`, name.toUpperCase(), `${name}.`, `${name}.:${server().port}`])
      for (const target of ['/index.html', `http://${name}/index.html`]) {
        const response = await rawRequest(server().port, `GET ${target} HTTP/1.1`, [`Host: ${host}`]);
        expect([host, response.status, response.body.includes(MARKER)]).toEqual([host, 401, false]);
      }
  });

  it.each(['/%', '/%zz', '/index.html%00', '/%ff', '/index.html%c0%af', '/a\\b', '/%5c..%5cindex.html'])(
    'refuses the malformed path %s',
    async (path) => {
      for (const method of METHODS) {
        const { status, text } = await server().visit(siteId, path, { method });
        expect([400, 401]).toContain(status);
        expect(text).not.toContain(MARKER);
      }
    },
  );

  it('responds with 404 after its deletion, like any missing site', async () => {
    const { deployment } = await server().publish(FILES, { fields: { password: PASSWORD } });
    await server().api(`/deployments/${deployment}`, { method: 'DELETE' });
    const deletedSite = await server().visit(deployment, '/index.html');
    expect([deletedSite.status, deletedSite.headers['www-authenticate']]).toEqual([404, undefined]);
  });
});

it('api §3: no endpoint returns the password', async () => {
  for (const path of [`/deployments/${siteId}`, '/deployments', '/activities', '/account']) {
    const { status, text } = await server().api(path);
    expect([status, text.includes(PASSWORD), text.includes('argon2')]).toEqual([200, false, false]);
  }
});

describe('api §3: PATCH of the password', () => {
  const changePassword = (deployment: string, password: string | null) =>
    server().api(`/deployments/${deployment}`, { method: 'PATCH', json: { password } });

  it('locks out a visitor with the old password at the next request, and admits the new one', async () => {
    const { deployment } = await server().publish(FILES, { fields: { password: PASSWORD } });
    const visit = (cookie: string) => server().visit(deployment, '/', { headers: { Cookie: cookie } });
    const cookie = cookieOf(await enterPassword(server(), deployment, { password: PASSWORD }));
    expect((await visit(cookie)).status).toBe(200);
    for (const password of [`new-${PASSWORD}`, PASSWORD]) {
      expect((await changePassword(deployment, password)).json()).toMatchObject({ password: true });
      expect((await visit(cookie)).status).toBe(401);
      expect((await visit(cookieOf(await enterPassword(server(), deployment, { password })))).status).toBe(200);
    }
  });

  it('protects a public site, and makes a protected one public', async () => {
    const { deployment } = await server().publish(FILES);
    expect((await server().visit(deployment)).status).toBe(200);
    await changePassword(deployment, PASSWORD);
    expect((await server().visit(deployment)).text).not.toContain(MARKER);
    await changePassword(deployment, null);
    expect((await server().visit(deployment)).text).toContain(MARKER);
  });
});
