import { ask as askRaw } from '@berth/testing/raw-socket';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'open-sesame-84c1';
const MARKER = 'MARKER-OF-PROTECTED-BYTES';
const FILES = {
  'index.html': `<p>${MARKER}</p>`,
  'about.html': MARKER,
  'folder/index.html': MARKER,
  'folder/file.txt': MARKER,
  'large.bin': MARKER.repeat(8_000),
  'assets/app-4f3a9b2c.js': MARKER,
  '404.html': MARKER,
  'ship.json': JSON.stringify({ marker: MARKER }),
  '.well-known/security.txt': MARKER,
};

const server = useServer({ clean: { secrets: [PASSWORD] } });
let site: string;
/** The entity tag of the front page of an identical public site. */
let etag: string;
beforeAll(async () => {
  const { deployment } = await server().publish(FILES);
  etag = String((await server().visit(deployment)).headers['etag']);
  site = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
});

/** The headers of an answer, without those that differ between requests or addresses. */
function shared({ headers }: Answer): object {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...rest } = headers;
  return rest;
}

/** The text of an answer, without the requested address to which its form leads back. */
const textWithoutNext = ({ text }: Answer) => text.replace(/name="next" value="[^"]*"/, 'name="next"');

const SPELLINGS = [
  '/',
  '//',
  '///',
  '/?',
  '/?x=1',
  '/index.html',
  '/index.html?',
  '/%69ndex.html',
  '/index%2ehtml',
  '//index.html',
  '/./index.html',
  '/folder/../index.html',
  '/folder/%2e%2e/index.html',
  '/index.html/',
  '/index.html%2f',
  '/INDEX.HTML',
  '/index',
  '/about',
  '/about/',
  '/about.html',
  '/folder',
  '/folder/',
  '/folder/file.txt',
  '/folder%2ffile.txt',
  '/folder//file.txt',
  '/large.bin',
  '/assets/app-4f3a9b2c.js',
  '/404.html',
  '/missing',
  '/missing/deep/path.css',
  '/ship.json',
  '/.well-known/security.txt',
  '/.hidden',
  '/;/index.html',
  '/index.html;jsessionid=1',
  '/index.html%20',
  '/favicon.ico',
  '/.berth/unlock',
];
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];

describe('T16, S58: a locked site reveals no byte', () => {
  let locked: Answer;
  beforeAll(async () => {
    locked = await server().visit(site);
  });

  it('the answer is the unlock page, according to S58', () => {
    expect(locked.status).toBe(401);
    expect(locked.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'www-authenticate': 'Password realm="site"',
      'cache-control': 'private, no-store',
      vary: 'Cookie',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'same-origin',
    });
    for (const name of ['etag', 'accept-ranges', 'content-range', 'last-modified', 'set-cookie', 'location'])
      expect(locked.headers).not.toHaveProperty(name);
    expect(locked.text).not.toContain(MARKER);
  });

  const CONDITIONS: [string, () => Record<string, string>][] = [
    ['plain', () => ({})],
    ['a Range', () => ({ Range: 'bytes=0-10' })],
    ['a Range that cannot be satisfied', () => ({ Range: 'bytes=999999-' })],
    ['a matching If-None-Match', () => ({ 'If-None-Match': etag })],
    ['If-None-Match: *', () => ({ 'If-None-Match': '*' })],
    ['a failing If-Match', () => ({ 'If-Match': '"other"' })],
    ['If-Range', () => ({ Range: 'bytes=0-10', 'If-Range': etag })],
    ['If-Modified-Since', () => ({ 'If-Modified-Since': 'Fri, 31 Dec 2100 00:00:00 GMT' })],
  ];
  it.each(CONDITIONS)('%s, by any method, in any spelling', async (_, headersOf) => {
    for (const method of METHODS) {
      // A POST to the form itself is covered by S60.
      const paths = SPELLINGS.filter((path) => method !== 'POST' || !path.startsWith('/.berth/'));
      const answers = await Promise.all(
        paths.map((path) => server().visit(site, path, { method, headers: headersOf() })),
      );
      for (const [i, answer] of answers.entries()) {
        const request = `${method} ${paths[i]}`;
        expect([request, answer.status, textWithoutNext(answer)]).toEqual([
          request,
          401,
          method === 'HEAD' ? '' : textWithoutNext(locked),
        ]);
        expect(shared(answer)).toEqual(shared(locked));
      }
    }
  });

  it('with credentials, cookies, forwarding and override headers', async () => {
    for (const headers of [
      { Authorization: `Bearer ${PASSWORD}` },
      { Authorization: `Basic ${Buffer.from(`:${PASSWORD}`).toString('base64')}` },
      { Cookie: `berth-unlock=${PASSWORD}` },
      { Cookie: '__Host-berth-unlock=v1.0.e30.AAAA' },
      { 'X-HTTP-Method-Override': 'GET' },
      { 'X-Original-URL': '/index.html', 'X-Rewrite-URL': '/index.html' },
      { 'X-Forwarded-Host': `localhost:${server().port}`, Forwarded: 'host=localhost' },
      { 'Cache-Control': 'only-if-cached', Pragma: 'no-cache' },
      { 'Accept-Encoding': 'gzip, br', Accept: 'text/plain' },
      { Upgrade: 'websocket', Connection: 'Upgrade' },
    ] as Record<string, string>[]) {
      const answer = await server().visit(site, '/index.html', { headers });
      expect([headers, answer.status, textWithoutNext(answer)]).toEqual([headers, 401, textWithoutNext(locked)]);
    }
    expect((await server().visit(site, '/index.html', { key: server().secrets.values().next().value! })).status).toBe(
      401,
    );
  });

  it('for its host in any spelling', async () => {
    for (const host of [
      `${site}.localhost:${server().port}`,
      `${site}.LOCALHOST`,
      `${site.toUpperCase()}.localhost`,
      `${site}.localhost.`,
      `${site}.localhost.:${server().port}`,
    ]) {
      const answer = await askRaw(server().port, 'GET /index.html HTTP/1.1', [`Host: ${host}`]);
      expect([host, answer.status, answer.body.includes(MARKER)]).toEqual([host, 401, false]);
    }
    const absolute = await askRaw(server().port, `GET http://${site}.localhost/index.html HTTP/1.1`, [
      `Host: ${site}.localhost`,
    ]);
    expect([absolute.status, absolute.body.includes(MARKER)]).toEqual([401, false]);
  });

  it.each(['/%', '/%zz', '/index.html%00', '/%ff', '/index.html%c0%af', '/a\\b', '/%5c..%5cindex.html'])(
    'if the path is malformed: %s is refused',
    async (path) => {
      for (const method of METHODS) {
        const { status, text } = await server().visit(site, path, { method });
        expect([400, 401]).toContain(status);
        expect(text).not.toContain(MARKER);
      }
    },
  );

  it('after its deletion: 404 like any other', async () => {
    const { deployment } = await server().publish(FILES, { fields: { password: PASSWORD } });
    await server().api(`/deployments/${deployment}`, { method: 'DELETE' });
    const gone = await server().visit(deployment, '/index.html');
    expect([gone.status, gone.headers['www-authenticate']]).toEqual([404, undefined]);
  });
});

it('S64: a site without a password has no unlock page', async () => {
  const { deployment } = await server().publish(FILES);
  for (const method of METHODS)
    expect((await server().visit(deployment, '/.berth/unlock', { method })).status).toBe(404);
});

it('api §3: no endpoint returns the password', async () => {
  for (const path of [`/deployments/${site}`, '/deployments', '/activities', '/account']) {
    const { status, text } = await server().api(path);
    expect([status, text.includes(PASSWORD), text.includes('argon2')]).toEqual([200, false, false]);
  }
  expect((await server().api(`/deployments/${site}`)).json()).toMatchObject({ password: true });
});
