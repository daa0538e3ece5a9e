import { ServiceError, unavailable } from '@berth/core';
import type { Site } from '@berth/serving';
import { open, parse, type RawAnswer, send, stop } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectPage } from '../pages/expect-page.ts';
import { hostOf, memoryPacks, pack, PUBLIC, publicSite, type RunningHost, runSiteHost } from './running-host.ts';

const LOCKED = 'calm-otter-locked1';
const FILES = { 'index.html': '<h1>front</h1>', 'about.html': 'about', 'docs/index.html': 'docs' };

let packs: ReturnType<typeof memoryPacks>;
let host: RunningHost;
let site: Site;
beforeEach(async () => {
  packs = memoryPacks();
  host = await runSiteHost(packs);
  site = publicSite(await pack(packs, 'first', FILES));
  host.sites.set(PUBLIC, site);
  host.sites.set(LOCKED, { ...site, deployment: LOCKED, passwordVersion: 'first' });
});
afterEach(() => stop(host.server));

describe('an answer', () => {
  it('api §2: has an id of its own, even if the rest of its head is shared', async () => {
    const answers = await Promise.all(
      ['/about', '/about', '/docs', '/nothing', '/nothing'].map((path) => host.get(path)),
    );
    const ids = answers.map(({ headers }) => headers['x-request-id']!);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(['/', '/about', '/nothing', '/docs'])(
    'S41: to HEAD %s has the headers of GET and no body',
    async (target) => {
      const shared = ({ status, names, headers }: RawAnswer) => {
        return { status, names, headers: { ...headers, date: '', 'x-request-id': '' } };
      };
      const head = await host.get(target, [], { method: 'HEAD' });
      expect({ ...shared(head), body: head.body }).toEqual({ ...shared(await host.get(target)), body: '' });
    },
  );

  it('S15, S21: for a folder without its slash is a redirect, and the query is kept', async () => {
    expect(await host.get('/docs?a=b%20c')).toMatchObject({
      status: 307,
      body: '',
      headers: { location: '/docs/?a=b%20c', 'cache-control': 'no-store', 'content-length': '0' },
    });
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/docs/..//evil.example',
    '//docs',
    '/docs%0d%0aX-Evil:%201',
  ])('T33: to %s never leads to another host', async (target) => {
    const { headers } = await host.get(target);
    expect(headers['location'] ?? '/').toMatch(/^\/(?![/\\])/);
    expect(headers).not.toHaveProperty('x-evil');
  });

  it.each([
    ['/', 'This site has no front page'],
    ['/nothing', 'This page could not be found'],
    ['/../x', 'This page could not be found'],
  ])('S39: for %s of a site without index.html and 404.html is a page with the title %s', async (target, title) => {
    host.sites.set(PUBLIC, { ...site, manifest: await pack(packs, 'second', { 'a.txt': 'a' }) });
    const answer = await host.get(target);
    expect(answer).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toContain(`<title>${title}</title>`);
  });

  it.each([
    ['OPTIONS', 204],
    ['POST', 405],
    ['DELETE', 405],
    ['TRACE', 405],
  ])('S42: to %s is %d, also for missing paths', async (method, status) => {
    for (const target of ['/', '/nothing', '/%2f'])
      expect(await host.get(target, [], { method })).toMatchObject({
        status,
        body: '',
        headers: { allow: 'GET, HEAD, OPTIONS', ...(status === 405 ? { 'cache-control': 'no-store' } : {}) },
      });
  });
});

describe('when a dependency fails', () => {
  const LARGE = Buffer.alloc(8_000_000, 'x');

  it.each([
    ['/about', 'about'],
    ['/large.bin', String(LARGE)],
  ])('C3: the file at %s, which has moved, is found at its new place', async (target, content) => {
    const files = { 'about.html': 'about', 'large.bin': LARGE };
    const before = await pack(packs, 'before', files);
    const after = await pack(packs, 'after', { 'padding.txt': 'padding', ...files });
    packs.contents.delete('before');
    host.setFind(
      async () => ({ ...site, manifest: before }),
      async () => ({ ...site, manifest: after }),
    );
    const { status, body } = await host.get(target);
    expect([status, body === content]).toEqual([200, true]);
    expect(host.logged).toEqual([]);
  });

  it.each(['/about', '/large.bin', '/docs/nothing'])(
    'C3: the loss of %s is logged and answered with 500 after one retry',
    async (target) => {
      const files = { 'about.html': 'about', 'large.bin': LARGE, 'docs/404.html': 'none' };
      host.sites.set(PUBLIC, { ...site, manifest: await pack(packs, 'lost', files) });
      packs.contents.delete('lost');
      const findFresh = vi.spyOn(host.live, 'findFresh');
      const answer = await host.get(target);
      expect(answer).toMatchObject({ status: 500, headers: { 'cache-control': 'no-store' } });
      expect(answer.body).toContain(answer.headers['x-request-id']);
      expect(answer.headers).not.toHaveProperty('etag');
      expect(findFresh).toHaveBeenCalledTimes(1);
      expect(host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    },
  );

  it('a site that is deleted during the request is 404, not 500', async () => {
    packs.contents.delete('first');
    host.setFind(
      async () => site,
      async () => null,
    );
    expect((await host.get('/about')).status).toBe(404);
  });

  it('T36: bytes that differ from those of the site are 500, never 200', async () => {
    packs.contents.get('first')![3]! ^= 1;
    expect(await host.get('/')).toMatchObject({ status: 500 });
    expect(host.logged).toMatchObject([{ level: 'error' }]);
    expect((await host.get('/about')).status).toBe(200);
  });

  it('an unavailable database is 503 with Retry-After and the id of the request', async () => {
    host.setFind(() => Promise.reject(unavailable('away', new Error('ECONNREFUSED'), 7)));
    const answer = await host.get('/');
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7', 'cache-control': 'no-store' } });
    expect(answer.body).toContain(`<code>${answer.headers['x-request-id']}</code>`);
    expect(host.logged).toMatchObject([{ level: 'warn' }]);
  });

  it('F7: an unexpected fault is 500 and reveals nothing of its cause', async () => {
    host.setFind(() => Promise.reject(new Error('secret cause')));
    const answer = await host.get('/');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret');
    expect(host.logged).toMatchObject([{ level: 'error', err: { message: 'secret cause' } }]);
  });

  it('a pack that disappears half-way is not searched for again', async () => {
    host.sites.set(PUBLIC, { ...site, manifest: await pack(packs, 'going', { 'large.bin': LARGE }) });
    const findFresh = vi.spyOn(host.live, 'findFresh');
    const { socket, received } = await open(host.port);
    socket.once('data', () => packs.contents.delete('going'));
    socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\n\r\n`);
    expect((await received).length).toBeLessThan(LARGE.length);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    expect(findFresh).not.toHaveBeenCalled();
  });

  it('a pack that fails half-way closes the connection', async () => {
    host.sites.set(PUBLIC, { ...site, manifest: await pack(packs, 'failing', { 'large.bin': LARGE }) });
    packs.contents.set('failing', LARGE.subarray(0, 1_000_000));
    const answer = parse(await send(host.port, `GET /large.bin HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\n\r\n`));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': String(LARGE.length) } });
    expect(answer.body.length).toBeLessThan(LARGE.length);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { message: 'the pack is too short' } }]);
    expect(packs.openStreams()).toBe(0);
  });
});

it('S58, S59, T16: a locked site answers every path, method, Range and condition in the same way', async () => {
  const SPELLINGS = [
    '/ /index.html /index /INDEX.html /index.html/ /index.html?v=1 /index%2ehtml /index.html%2f /index.html;a=1',
    '//index.html /./index.html /docs/../index.html /docs/%2e%2e/index.html /%69ndex.html /..%2findex.html',
    '/about /about/ /about.html /ABOUT /%61bout //about /\\about /docs /docs/ /docs%2f /docs/nothing /nothing',
    '/404.html /ship.json /.secret /.well-known/security.txt /favicon.ico /.berth/unlock /.berth/unlock?next=//evil',
    `http://${hostOf(LOCKED)}/about`,
  ];
  const ADDED = [
    [],
    ['Range: bytes=0-3'],
    ['Range: bytes=999999-'],
    ['Range: bytes=0-3', 'If-Range: "x"'],
    ['If-None-Match: *'],
    ['If-Match: "x"'],
    ['If-Modified-Since: Fri, 31 Dec 2100 00:00:00 GMT'],
    ['Sec-Fetch-Dest: image'],
    ['Cookie: __Host-berth-unlock=v1.x.y.z'],
    [`X-Forwarded-Host: ${hostOf(PUBLIC)}`],
    ['Authorization: Basic eDp5'],
  ];
  /** A locked answer without the requested address, which its form leads back to, and without its length. */
  const ask = async (target: string, lines: string[] = [], method = 'GET') => {
    const { status, names, headers, body } = await host.get(target, lines, { method, host: hostOf(LOCKED) });
    const shared = { ...headers, date: '', 'x-request-id': '', 'content-length': '' };
    return { status, names, headers: shared, body: body.replace(/name="next" value="[^"]*"/, 'name="next"') };
  };
  const expected = await ask('/');
  expect(expected).toMatchObject({
    status: 401,
    headers: {
      'www-authenticate': 'Password realm="site"',
      'cache-control': 'private, no-store',
      vary: 'Cookie',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'same-origin',
    },
  });
  expect(expected.body).toContain('protected by a password');
  for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-range', 'clear-site-data', 'set-cookie'])
    expect(expected.headers).not.toHaveProperty(name);

  for (const target of SPELLINGS.join(' ').split(' ')) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      for (const lines of ADDED) {
        if (method === 'POST' && target.startsWith('/.berth/')) continue;
        const body = method === 'HEAD' ? '' : expected.body;
        expect(await ask(target, lines, method), `${method} ${target} ${lines.join()}`).toEqual({ ...expected, body });
      }
    }
  }
});

describe('S59: the unlock page', () => {
  const enter = (body = 'password=x&next=/docs/') =>
    host.get('/.berth/unlock', ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`], {
      method: 'POST',
      host: hostOf(LOCKED),
      body,
    });
  const problemOf = ({ body }: RawAnswer) => /<p id="problem" role="alert">([^<]*)<\/p>/.exec(body)?.[1];

  it('has a form for people and password managers, and no script', async () => {
    const { body, headers } = await host.get('/docs/?x', [], { host: hostOf(LOCKED) });
    expect(body).toContain('<form method="post" action="/.berth/unlock">');
    expect(body).toContain('<label for="password">Password</label>');
    expect(body).toMatch(
      /<input id="password" name="password" type="password" autocomplete="current-password"[^>]* required autofocus>/,
    );
    expect(body).toContain('<input type="hidden" name="next" value="/docs/?x">');
    expect(body).toContain('<title>This site is protected by a password</title>');
    expect(body).not.toMatch(/role="alert"|aria-invalid=/i);
    expectPage(headers, body, "'self'");
  });

  it.each([
    [5, 'in 5 seconds'],
    [61, 'in 2 minutes'],
  ])('S61: is 429 after too many tries, and says when to retry: %d s', async (retryAfterSeconds, words) => {
    host.lock.unlock = async () => ({ kind: 'too-many', retryAfterSeconds });
    const answer = await enter();
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, String(retryAfterSeconds)]);
    expect(problemOf(answer)).toBe(`Too many attempts. You can try again ${words}.`);
    expect(answer.body).toContain('<title>Error: This site is protected by a password</title>');
    expect(answer.body).toContain('name="next" value="/docs/"');
    expect(answer.body).not.toContain('aria-invalid=');
  });

  it.each([
    ['with a cause, which is logged', new Error('ECONNREFUSED'), ['warn']],
    ['without one, as when too many passwords are being hashed', undefined, []],
  ])('T27: is 503 %s when the password cannot be checked', async (_, cause, levels) => {
    host.lock.unlock = () => Promise.reject(unavailable('away', cause, 7));
    const answer = await enter();
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7', 'cache-control': 'private, no-store' },
    });
    expect(problemOf(answer)).toBe('The service is busy right now. Try again in 7 seconds.');
    expect(host.logged.map(({ level }) => level)).toEqual(levels);
  });

  it.each([new Error('secret cause'), new ServiceError('not_found', 'secret cause')])(
    'F7: is a 500 that reveals nothing of the cause for any other fault',
    async (fault) => {
      host.lock.unlock = () => Promise.reject(fault);
      const answer = await enter();
      expect([answer.status, answer.headers['set-cookie']]).toEqual([500, undefined]);
      expect(answer.body).not.toContain('secret');
      expect(host.logged).toMatchObject([{ level: 'error' }]);
    },
  );
});
