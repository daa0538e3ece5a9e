import { ask as askRaw } from '@berth/testing/raw-socket';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'open-sesame-84c1';
const MARKER = 'MARKER-OF-PROTECTED-BYTES';
const FILES = { 'index.html': `<p>${MARKER}</p>`, 'large.bin': MARKER.repeat(8_000), '404.html': MARKER };
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE'];

const server = useServer({ clean: { secrets: [PASSWORD] } });
let site: string;
/** The entity tag of the front page of an identical public site. */
let etag: string;
beforeAll(async () => {
  const { deployment } = await server().publish(FILES);
  etag = String((await server().visit(deployment)).headers['etag']);
  site = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
});

/** The text of an answer, without the requested address to which its form leads back. */
const textWithoutNext = ({ text }: Answer) => text.replace(/name="next" value="[^"]*"/, 'name="next"');

describe('T16, S58: a locked site reveals no byte', () => {
  let locked: Answer;
  beforeAll(async () => {
    locked = await server().visit(site);
  });

  it('the answer is the unlock page', () => {
    expect(locked.status).toBe(401);
    expect(locked.headers).toMatchObject({ 'www-authenticate': 'Password realm="site"', vary: 'Cookie' });
    expect(locked.text).not.toContain(MARKER);
  });

  it.each<[string, () => Record<string, string>]>([
    ['a matching If-None-Match', () => ({ 'If-None-Match': etag })],
    ['a matching If-Range', () => ({ Range: 'bytes=0-10', 'If-Range': etag })],
    ['a credential', () => ({ Authorization: `Bearer ${server().secrets.values().next().value!}` })],
    ['the password as a bearer', () => ({ Authorization: `Bearer ${PASSWORD}` })],
    ['Basic', () => ({ Authorization: `Basic ${Buffer.from(`:${PASSWORD}`).toString('base64')}` })],
    ['the password as a cookie', () => ({ Cookie: `berth-unlock=${PASSWORD}` })],
    ['a forged cookie', () => ({ Cookie: '__Host-berth-unlock=v1.0.e30.AAAA' })],
    ['another method in a header', () => ({ 'X-HTTP-Method-Override': 'GET' })],
    ['another path in headers', () => ({ 'X-Original-URL': '/index.html', 'X-Rewrite-URL': '/index.html' })],
    [
      'another host in headers',
      () => ({ 'X-Forwarded-Host': `localhost:${server().port}`, Forwarded: 'host=localhost' }),
    ],
    ['Cache-Control', () => ({ 'Cache-Control': 'only-if-cached', Pragma: 'no-cache' })],
    ['Accept', () => ({ 'Accept-Encoding': 'gzip, br', Accept: 'text/plain' })],
    ['Upgrade', () => ({ Upgrade: 'websocket', Connection: 'Upgrade' })],
  ])('with %s', async (_, headersOf) => {
    for (const path of ['/index.html', '/large.bin', '/missing'])
      for (const method of METHODS) {
        const answer = await server().visit(site, path, { method, headers: headersOf() });
        const text = method === 'HEAD' ? '' : textWithoutNext(locked);
        expect([method, path, answer.status, textWithoutNext(answer)]).toEqual([method, path, 401, text]);
      }
  });

  it('for its host in any spelling', async () => {
    const name = `${site}.localhost`;
    for (const host of [name, `${name}:${server().port}`, name.toUpperCase(), `${name}.`, `${name}.:${server().port}`])
      for (const target of ['/index.html', `http://${name}/index.html`]) {
        const answer = await askRaw(server().port, `GET ${target} HTTP/1.1`, [`Host: ${host}`]);
        expect([host, answer.status, answer.body.includes(MARKER)]).toEqual([host, 401, false]);
      }
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

it('api §3: no endpoint returns the password', async () => {
  for (const path of [`/deployments/${site}`, '/deployments', '/activities', '/account']) {
    const { status, text } = await server().api(path);
    expect([status, text.includes(PASSWORD), text.includes('argon2')]).toEqual([200, false, false]);
  }
});
