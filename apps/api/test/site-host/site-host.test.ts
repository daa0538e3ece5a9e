import { open, stop } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pack } from './memory-packs.ts';
import { ANONYMOUS, comparable, FILES, hostOf, MARKER, PUBLIC, runSampleSites } from './running-host.ts';

let host: Awaited<ReturnType<typeof runSampleSites>>;
beforeEach(async () => {
  host = await runSampleSites();
});
afterEach(() => stop(host.server));

describe('a file', () => {
  it('S44, S52 to S55: has these headers and no others', async () => {
    const { status, names, headers, body } = await host.get('/about');
    expect(status).toBe(200);
    expect(body).toBe(FILES['about.html']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(FILES['about.html'].length),
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept-Encoding',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'origin-agent-cluster': '?1',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['etag']).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers['x-request-id']).toBeTruthy();
    expect(names.map((name) => name.toLowerCase()).toSorted()).toEqual([
      'accept-ranges',
      'cache-control',
      'connection',
      'content-length',
      'content-type',
      'date',
      'etag',
      'origin-agent-cluster',
      'referrer-policy',
      'vary',
      'x-content-type-options',
      'x-request-id',
    ]);
  });

  it.each(['/', '/about', '/photo.png', '/docs/nothing', '/nothing', '/docs'])(
    'S41: HEAD %s has the headers of GET and no body',
    async (target) => {
      expect(comparable(await host.get(target, [], { method: 'HEAD' }))).toEqual({
        ...comparable(await host.get(target)),
        body: '',
      });
    },
  );
});

describe('a request that finds no file', () => {
  it('S15, S21: for a folder without its slash is redirected, and the query is kept', async () => {
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
    '//evil.example/..',
    '/docs/..//evil.example',
    '//docs',
    '/.//docs?//evil.example',
  ])('T33: for %s never leads to another host', async (target) => {
    const { headers } = await host.get(target);
    expect(headers['location'] ?? '/').toMatch(/^\/(?![/\\])/);
  });

  it('S39, S40: is answered with the nearest 404.html', async () => {
    const { status, body, headers } = await host.get('/docs/nothing');
    expect({ status, body }).toEqual({ status: 404, body: FILES['docs/404.html'] });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
    expect(headers).not.toHaveProperty('etag');
  });

  it('S39: is answered with the built-in page if there is no 404.html', async () => {
    const answer = await host.get('/nothing');
    expect(answer).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    expect(answer.body).toContain('This page could not be found');
  });

  it('gets an explanation at the root of a site without index.html', async () => {
    host.sites.set(PUBLIC, { ...host.site, manifest: await pack(host.packs, 'second', { 'a.txt': 'a' }) });
    expect((await host.get('/')).body).toContain('This site has no front page');
    expect((await host.get('/../x')).body).toContain('This page could not be found');
  });

  it.each(['/%', '/%zz', '/%00', '/a%0d%0ab', '/%ff'])('S7: for %s is 400', async (target) => {
    expect(await host.get(target)).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
  });

  it.each([
    '/ship.json',
    '/.secret',
    '/%2esecret',
    '//.secret',
    '/docs/../.secret',
    '/.well-known/acme-challenge/token',
    '//.well-known/acme-challenge/token',
    '/.berth/unlock',
    '/.berth/x',
  ])('S6, S12, S64: for %s is 404', async (target) => {
    const answer = await host.get(target);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain(MARKER);
  });

  it('S42: with OPTIONS is 204, also for missing paths', async () => {
    for (const target of ['/', '/nothing'])
      expect(await host.get(target, [], { method: 'OPTIONS' })).toMatchObject({
        status: 204,
        body: '',
        headers: { allow: 'GET, HEAD, OPTIONS' },
      });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'])(
    'S42: with %s is 405, also for missing paths',
    async (method) => {
      for (const target of ['/', '/nothing', '/%2f']) {
        expect(await host.get(target, [], { method: method })).toMatchObject({
          status: 405,
          body: '',
          headers: { allow: 'GET, HEAD, OPTIONS', 'cache-control': 'no-store' },
        });
      }
    },
  );

  it('leaves the connection usable for the next request, after a refused POST', async () => {
    const { socket, received } = await open(host.port);
    socket.write(`POST / HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\nContent-Length: 11\r\n\r\nsome of the `.slice(0, -1));
    socket.write(`GET /about HTTP/1.1\r\nHost: ${hostOf(PUBLIC)}\r\nConnection: close\r\n\r\n`);
    expect(await received).toContain(FILES['about.html']);
  });
});

describe('S4, S5: hosts without a site', () => {
  it('get the same page for an unknown host and a missing deployment', async () => {
    const unknown = await host.get('/about', [], { host: 'other.example' });
    expect(unknown).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
    expect(comparable(await host.get('/about', [], { host: hostOf('calm-otter-gone000') }))).toEqual(
      comparable(unknown),
    );
    expect(comparable(await host.get('/other?x', [], { method: 'POST', host: hostOf('calm-otter-gone000') }))).toEqual(
      comparable(unknown),
    );
  });

  it('S1: get 400 for a malformed path first', async () => {
    expect((await host.get('/%', [], { host: hostOf('calm-otter-gone000') })).status).toBe(400);
  });
});

describe('S56: search engines', () => {
  it.each(['/', '/docs', '/nothing', '/docs/nothing'])(
    'do not index %s of an anonymous site, but index everything else',
    async (target) => {
      expect((await host.get(target, [], { host: hostOf(ANONYMOUS) })).headers['x-robots-tag']).toBe('noindex');
      expect((await host.get(target)).headers).not.toHaveProperty('x-robots-tag');
    },
  );
});
