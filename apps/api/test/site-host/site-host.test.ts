import { ServiceError, unavailable } from '@berth/core';
import type { Site } from '@berth/serving';
import { open, parse, type RawResponse, send, stop } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectPage } from '../pages/expect-page.ts';
import { hostOf, memoryPacks, packAll, publicSite, type RunningHost, runSiteHost, SITE_ID } from './running-host.ts';

const LOCKED_ID = 'calm-otter-locked1';
const FILES = { 'index.html': '<h1>front</h1>', 'about.html': 'about', 'docs/index.html': 'docs' };

let packs: ReturnType<typeof memoryPacks>;
let host: RunningHost;
let site: Site;
beforeEach(async () => {
  packs = memoryPacks();
  host = await runSiteHost(packs);
  site = publicSite(await packAll(packs, 'first', FILES));
  host.sites.set(SITE_ID, site);
  host.sites.set(LOCKED_ID, { ...site, deployment: LOCKED_ID, passwordVersion: 'first' });
});
afterEach(() => stop(host.server));

describe('the response of a site', () => {
  it('api §2: has a request id of its own, even if its other headers are those of an earlier response', async () => {
    const responses = await Promise.all(
      ['/about', '/about', '/docs', '/nothing', '/nothing'].map((path) => host.get(path)),
    );
    const ids = responses.map(({ headers }) => headers['x-request-id']!);
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each(['/', '/about', '/nothing', '/docs'])(
    'S41: to HEAD %s has the headers of GET, but no body',
    async (target) => {
      const stableParts = ({ status, names, headers }: RawResponse) => {
        return { status, names, headers: { ...headers, date: '', 'x-request-id': '' } };
      };
      const head = await host.get(target, [], { method: 'HEAD' });
      expect({ ...stableParts(head), body: head.body }).toEqual({ ...stableParts(await host.get(target)), body: '' });
    },
  );

  it('S15, S21: for a folder without its slash is a redirect that keeps the query', async () => {
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
  ])('T33: to %s never redirects to another host', async (target) => {
    const { headers } = await host.get(target);
    expect(headers['location'] ?? '/').toMatch(/^\/(?![/\\])/);
    expect(headers).not.toHaveProperty('x-evil');
  });

  it.each([
    ['/', 'This site has no front page'],
    ['/nothing', 'This page could not be found'],
    ['/../x', 'This page could not be found'],
  ])('S39: to %s on a site without index.html and 404.html is a page with the title %s', async (target, title) => {
    host.sites.set(SITE_ID, { ...site, manifest: await packAll(packs, 'second', { 'a.txt': 'a' }) });
    const response = await host.get(target);
    expect(response).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    expect(response.body).toContain(`<title>${title}</title>`);
  });

  it.each([
    ['OPTIONS', 204],
    ['POST', 405],
    ['DELETE', 405],
    ['TRACE', 405],
  ])('S42: to %s has the status %d, even for missing paths', async (method, status) => {
    for (const target of ['/', '/nothing', '/%2f'])
      expect(await host.get(target, [], { method })).toMatchObject({
        status,
        body: '',
        headers: { allow: 'GET, HEAD, OPTIONS', ...(status === 405 ? { 'cache-control': 'no-store' } : {}) },
      });
  });
});

describe('the site host', () => {
  const LARGE_FILE = Buffer.alloc(8_000_000, 'x');

  it.each([
    ['/about', 'about'],
    ['/large.bin', String(LARGE_FILE)],
  ])('C3: finds the file at %s at its new place after a move', async (target, content) => {
    const files = { 'about.html': 'about', 'large.bin': LARGE_FILE };
    const siteBefore = await packAll(packs, 'before', files);
    const siteAfter = await packAll(packs, 'after', { 'padding.txt': 'padding', ...files });
    packs.contents.delete('before');
    host.setFind(
      async () => ({ ...site, manifest: siteBefore }),
      async () => ({ ...site, manifest: siteAfter }),
    );
    const { status, body } = await host.get(target);
    expect([status, body === content]).toEqual([200, true]);
    expect(host.logged).toEqual([]);
  });

  it.each(['/about', '/large.bin', '/docs/nothing'])(
    'C3: logs the loss of %s, and responds with 500',
    async (target) => {
      const files = { 'about.html': 'about', 'large.bin': LARGE_FILE, 'docs/404.html': 'none' };
      host.sites.set(SITE_ID, { ...site, manifest: await packAll(packs, 'lost', files) });
      packs.contents.delete('lost');
      const findFresh = vi.spyOn(host.live, 'findFresh');
      const response = await host.get(target);
      expect(response).toMatchObject({ status: 500, headers: { 'cache-control': 'no-store' } });
      expect(response.body).toContain(response.headers['x-request-id']);
      expect(response.headers).not.toHaveProperty('etag');
      expect(findFresh).toHaveBeenCalledTimes(1);
      expect(host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    },
  );

  it('responds with 404 instead of 500 if the site is deleted during the request', async () => {
    packs.contents.delete('first');
    host.setFind(
      async () => site,
      async () => null,
    );
    expect((await host.get('/about')).status).toBe(404);
  });

  it('T36: responds with 500 instead of 200 if the stored bytes of a file have changed', async () => {
    packs.contents.get('first')![3]! ^= 1;
    expect(await host.get('/')).toMatchObject({ status: 500 });
    expect(host.logged).toMatchObject([{ level: 'error' }]);
    expect((await host.get('/about')).status).toBe(200);
  });

  it('responds with 503, Retry-After and the request id if the database is unavailable', async () => {
    host.setFind(() => Promise.reject(unavailable('away', new Error('ECONNREFUSED'), 7)));
    const response = await host.get('/');
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '7', 'cache-control': 'no-store' } });
    expect(response.body).toContain(`<code>${response.headers['x-request-id']}</code>`);
    expect(host.logged).toMatchObject([{ level: 'warn' }]);
  });

  it('F7: responds with 500 to an unexpected fault, and reveals nothing of the cause', async () => {
    host.setFind(() => Promise.reject(new Error('secret cause')));
    const response = await host.get('/');
    expect(response.status).toBe(500);
    expect(response.body).not.toContain('secret');
    expect(host.logged).toMatchObject([{ level: 'error', err: { message: 'secret cause' } }]);
  });

  it('does not retry if a pack disappears in the middle of a response', async () => {
    host.sites.set(SITE_ID, { ...site, manifest: await packAll(packs, 'going', { 'large.bin': LARGE_FILE }) });
    const findFresh = vi.spyOn(host.live, 'findFresh');
    const { socket, received } = await open(host.port);
    socket.once('data', () => packs.contents.delete('going'));
    socket.write(`GET /large.bin HTTP/1.1\r\nHost: ${hostOf(SITE_ID)}\r\n\r\n`);
    expect((await received).length).toBeLessThan(LARGE_FILE.length);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { code: 'ENOENT' } }]);
    expect(findFresh).not.toHaveBeenCalled();
  });

  it('closes the connection if a pack fails in the middle of a response', async () => {
    host.sites.set(SITE_ID, { ...site, manifest: await packAll(packs, 'failing', { 'large.bin': LARGE_FILE }) });
    packs.contents.set('failing', LARGE_FILE.subarray(0, 1_000_000));
    const response = parse(await send(host.port, `GET /large.bin HTTP/1.1\r\nHost: ${hostOf(SITE_ID)}\r\n\r\n`));
    expect(response).toMatchObject({ status: 200, headers: { 'content-length': String(LARGE_FILE.length) } });
    expect(response.body.length).toBeLessThan(LARGE_FILE.length);
    await expect.poll(() => host.logged).toMatchObject([{ level: 'error', err: { message: 'the pack is too short' } }]);
    expect(packs.openStreams()).toBe(0);
  });
});

it('S58, S59, T16: a locked site has the same response for every path, method, Range and condition', async () => {
  const TARGETS = [
    '/ /index.html /index /INDEX.html /index.html/ /index.html?v=1 /index%2ehtml /index.html%2f /index.html;a=1',
    '//index.html /./index.html /docs/../index.html /docs/%2e%2e/index.html /%69ndex.html /..%2findex.html',
    '/about /about/ /about.html /ABOUT /%61bout //about /\\about /docs /docs/ /docs%2f /docs/nothing /nothing',
    '/404.html /ship.json /.secret /.well-known/security.txt /favicon.ico /.berth/unlock /.berth/unlock?next=//evil',
    `http://${hostOf(LOCKED_ID)}/about`,
  ];
  const EXTRA_HEADERS = [
    [],
    ['Range: bytes=0-3'],
    ['Range: bytes=999999-'],
    ['Range: bytes=0-3', 'If-Range: "x"'],
    ['If-None-Match: *'],
    ['If-Match: "x"'],
    ['If-Modified-Since: Fri, 31 Dec 2100 00:00:00 GMT'],
    ['Sec-Fetch-Dest: image'],
    ['Cookie: __Host-berth-unlock=v1.x.y.z'],
    [`X-Forwarded-Host: ${hostOf(SITE_ID)}`],
    ['Authorization: Basic eDp5'],
  ];
  /** Requests a locked site. The result omits the length, and the requested address in the form. */
  const request = async (target: string, lines: string[] = [], method = 'GET') => {
    const { status, names, headers, body } = await host.get(target, lines, { method, host: hostOf(LOCKED_ID) });
    const stableParts = { ...headers, date: '', 'x-request-id': '', 'content-length': '' };
    return { status, names, headers: stableParts, body: body.replace(/name="next" value="[^"]*"/, 'name="next"') };
  };
  const expectedResponse = await request('/');
  expect(expectedResponse).toMatchObject({
    status: 401,
    headers: {
      'www-authenticate': 'Password realm="site"',
      'cache-control': 'private, no-store',
      vary: 'Accept-Language, Cookie',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'same-origin',
    },
  });
  expect(expectedResponse.body).toContain('protected by a password');
  for (const name of ['etag', 'last-modified', 'accept-ranges', 'content-range', 'clear-site-data', 'set-cookie'])
    expect(expectedResponse.headers).not.toHaveProperty(name);

  for (const target of TARGETS.join(' ').split(' ')) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      for (const extraHeaders of EXTRA_HEADERS) {
        if (method === 'POST' && target.startsWith('/.berth/')) continue;
        const body = method === 'HEAD' ? '' : expectedResponse.body;
        expect(await request(target, extraHeaders, method), `${method} ${target} ${extraHeaders.join()}`).toEqual({
          ...expectedResponse,
          body,
        });
      }
    }
  }
});

describe('S59: the unlock page', () => {
  const submitForm = (body = 'password=x&next=/docs/') =>
    host.get('/.berth/unlock', ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`], {
      method: 'POST',
      host: hostOf(LOCKED_ID),
      body,
    });
  const problemOf = ({ body }: RawResponse) => /<p id="problem" role="alert">([^<]*)<\/p>/.exec(body)?.[1];

  it('has a form for people and password managers, and no script', async () => {
    const { body, headers } = await host.get('/docs/?x', [], { host: hostOf(LOCKED_ID) });
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
  ])('S61: is a 429 after too many attempts, with the time to wait: %d s', async (retryAfterSeconds, waitingTime) => {
    host.lock.unlock = async () => ({ kind: 'too-many', retryAfterSeconds });
    const response = await submitForm();
    expect([response.status, response.headers['retry-after']]).toEqual([429, String(retryAfterSeconds)]);
    expect(problemOf(response)).toBe(`Too many attempts. You can try again ${waitingTime}.`);
    expect(response.body).toContain('<title>Error: This site is protected by a password</title>');
    expect(response.body).toContain('name="next" value="/docs/"');
    expect(response.body).not.toContain('aria-invalid=');
  });

  it.each([
    ['with a logged cause', new Error('ECONNREFUSED'), ['warn']],
    ['without a cause to log', undefined, []],
  ])('T27: is sent with 503, %s, if the password cannot be checked', async (_, cause, levels) => {
    host.lock.unlock = () => Promise.reject(unavailable('away', cause, 7));
    const response = await submitForm();
    expect(response).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7', 'cache-control': 'private, no-store' },
    });
    expect(problemOf(response)).toBe('The service is busy right now. Try again in 7 seconds.');
    expect(host.logged.map(({ level }) => level)).toEqual(levels);
  });

  it.each([new Error('secret cause'), new ServiceError('not_found', 'secret cause')])(
    'F7: is sent with 500 after any other fault, and reveals nothing of the cause',
    async (fault) => {
      host.lock.unlock = () => Promise.reject(fault);
      const response = await submitForm();
      expect([response.status, response.headers['set-cookie']]).toEqual([500, undefined]);
      expect(response.body).not.toContain('secret');
      expect(host.logged).toMatchObject([{ level: 'error' }]);
    },
  );
});
