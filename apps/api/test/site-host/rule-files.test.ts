import { insertDomain } from '@berth/testing/domains';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, enterPassword } from './unlocking.ts';

const PASSWORD = 'a password of this file';

const server = useServer({ clean: { secrets: [PASSWORD] } });

describe('the order of decisions (S1, S6, S12, S64)', () => {
  const FILES = {
    'index.html': 'front',
    '200.html': 'fallback',
    '404.html': 'own 404',
    'farewell.html': 'own page of a removed file',
    'other.html': 'other',
    'page.html': 'page',
    'forced.html': 'file',
    'plain.html': 'plain',
    '.secret': 'secret',
    '.well-known/acme-challenge/token': 'token',
    'ship.json': JSON.stringify({
      redirects: [
        { source: '/both', destination: '/by-ship-json', statusCode: 302 },
        { source: '/page', destination: '/instead', permanent: false },
        ...['/ship.json', '/.secret', '/.berth/x', '/.well-known/acme-challenge/token', '/a/(.*)'].map((source) => ({
          source,
          destination: '/caught',
        })),
      ],
      rewrites: [
        { source: '/plain', destination: '/other.html' },
        { source: '/missing', destination: '/other.html' },
      ],
    }),
    _redirects: [
      '/both /by-line 301!',
      '/line /by-line 301!',
      '/forced /elsewhere 301!',
      '/plain /elsewhere 301',
      '/missing /elsewhere 301',
      '/gone /farewell.html 404',
    ].join('\n'),
  };
  const HOSTS = { open: '', locked: '', paused: 'paused.example', 'taken down': '', unknown: 'http://unknown.example' };
  beforeAll(async () => {
    const publish = async (fields = {}) => (await server().publish(FILES, { fields })).deployment;
    [HOSTS.open, HOSTS.locked, HOSTS['taken down']] = [
      await publish(),
      await publish({ password: PASSWORD }),
      await publish({ password: PASSWORD }),
    ];
    await insertDomain(server(), HOSTS.paused, { status: 'paused', deployment: HOSTS.locked });
    HOSTS.paused = `http://${HOSTS.paused}`;
    await server().database.query(`update deployment set taken_down = now() where id = $1`, [HOSTS['taken down']]);
  });

  it.each<[keyof typeof HOSTS, string, string, number, string]>([
    ['unknown', 'GET', '/%', 400, 'could not be read'],
    ['unknown', 'GET', '/page', 404, 'nothing at this address'],
    ['paused', 'GET', '/%', 400, 'could not be read'],
    ['paused', 'GET', '/.berth/x', 404, 'nothing at this address'],
    ['paused', 'DELETE', '/page', 503, 'is paused'],
    ['taken down', 'GET', '/.well-known/acme-challenge/token', 404, 'nothing at this address'],
    ['taken down', 'DELETE', '/page', 451, 'has been taken down'],
    ['locked', 'GET', '/%', 400, 'could not be read'],
    ['locked', 'GET', '/.berth/x', 404, 'nothing at this address'],
    ['locked', 'GET', '/.well-known/acme-challenge/token', 404, 'nothing at this address'],
    ['locked', 'DELETE', '/both', 401, 'protected by a password'],
    ['locked', 'GET', '/.secret', 401, 'protected by a password'],
    ['open', 'GET', '/.berth/x', 404, 'nothing at this address'],
    ['open', 'GET', '/.berth/unlock', 404, 'nothing at this address'],
    ['open', 'POST', '/.berth/unlock', 404, 'nothing at this address'],
    ['open', 'GET', '//.well-known/acme-challenge/token', 404, 'nothing at this address'],
    ['open', 'GET', '/.well-known/acme-challenge/token', 404, 'nothing at this address'],
    ['open', 'DELETE', '/.secret', 405, ''],
    ['open', 'DELETE', '/both', 405, ''],
    ['open', 'OPTIONS', '/both', 204, ''],
    ['open', 'GET', '/.secret', 404, 'own 404'],
    ['open', 'GET', '/%2esecret', 404, 'own 404'],
    ['open', 'GET', '/a/../.secret', 404, 'own 404'],
    ['open', 'GET', '/ship.json', 404, 'own 404'],
    ['open', 'GET', '/a/x%2Fy', 404, 'own 404'],
    ['open', 'GET', '//plain', 307, '/plain'],
    ['open', 'GET', '//.secret', 404, 'own 404'],
    ['open', 'GET', '/both', 302, '/by-ship-json'],
    ['open', 'GET', '/line', 301, '/by-line'],
    ['open', 'GET', '/page', 307, '/instead'],
    ['open', 'GET', '/forced', 301, '/elsewhere'],
    ['open', 'GET', '/plain', 200, 'plain'],
    ['open', 'GET', '/missing', 200, 'other'],
    ['open', 'GET', '/gone', 404, 'own page of a removed file'],
    ['open', 'GET', '/route', 200, 'fallback'],
    ['open', 'GET', '/route.js', 404, 'own 404'],
  ])('makes a host that is %s respond to %s %s with %d, %s', async (state, method, path, status, shown) => {
    const response = await server().visit(HOSTS[state], path, { method });
    const { location } = response.headers;
    expect([response.status, location ?? response.text]).toEqual([
      status,
      location === undefined ? expect.stringContaining(shown) : shown,
    ]);
  });
});

describe('header rules', () => {
  it('remove the headers that describe the body from a 304, and keep other headers (S45)', async () => {
    const ofBody = {
      'Content-Language': 'de',
      'Content-Disposition': 'inline',
      'Content-Digest': 'sha-256=:AA==:',
      'Repr-Digest': 'sha-256=:AA==:',
      Digest: 'sha-256=AA==',
    };
    const otherFiles = {
      'Content-Location': '/index.html',
      'Content-Security-Policy': "default-src 'self'",
      'Content-Security-Policy-Report-Only': "img-src 'self'",
      'X-A': '1',
    };
    const lines = Object.entries({ ...ofBody, ...otherFiles }).map(([name, value]) => `  ${name}: ${value}\n`);
    const { deployment: site } = await server().publish({ 'index.html': 'front', _headers: `/*\n${lines.join('')}` });
    const names = new Set([...Object.keys(ofBody), ...Object.keys(otherFiles)].map((name) => name.toLowerCase()));
    const knownNamesIn = (headers: object) => Object.keys(headers).filter((name) => names.has(name));
    const fullResponse = await server().visit(site);
    expect(knownNamesIn(fullResponse.headers)).toHaveLength(lines.length);
    const { status, headers } = await server().visit(site, '/', {
      headers: { 'If-None-Match': String(fullResponse.headers['etag']) },
    });
    expect(status).toBe(304);
    expect(knownNamesIn(headers)).toEqual(Object.keys(otherFiles).map((name) => name.toLowerCase()));
  });

  const RULES = '/*\n  X-Site: ours\n  Cache-Control: public, max-age=60\n  Access-Control-Allow-Origin: *\n';
  const FILES = {
    'index.html': 'front',
    'docs/index.html': 'docs',
    'docs/404.html': 'no such doc',
    _redirects: '/old /new 301\n/app/* /index.html 200',
    _headers: `${RULES}/app/*\n  X-App: yes\n/index.html\n  X-Index: yes`,
  };
  /** Returns the status and the headers of a response that the rules may change. */
  const visit = async (site: string, path: string, { method = 'GET', ...headers }: Record<string, string> = {}) => {
    const response = await server().visit(site, path, { method, headers });
    const valueOf = (name: string) => response.headers[name];
    return [response.status, valueOf('x-site'), valueOf('cache-control'), valueOf('access-control-allow-origin')];
  };

  it('apply to responses of the site, but not to responses of the service (S32)', async () => {
    const { deployment: site, warnings } = await server().publish(FILES);
    expect(warnings).toBeUndefined();
    const etag = String((await server().visit(site)).headers['etag']);
    const allRules = ['ours', 'public, max-age=60', '*'];
    const noRules = [undefined, 'no-store', undefined];
    expect(await visit(site, '/')).toEqual([200, ...allRules]);
    expect(await visit(site, '/', { method: 'HEAD' })).toEqual([200, ...allRules]);
    expect(await visit(site, '/', { Range: 'bytes=0-1' })).toEqual([206, ...allRules]);
    expect(await visit(site, '/', { 'If-None-Match': etag })).toEqual([304, ...allRules]);
    expect(await visit(site, '/', { method: 'OPTIONS' })).toEqual([204, ...allRules]);
    expect(await visit(site, '/old')).toEqual([301, undefined, 'public, max-age=60', undefined]);
    expect(await visit(site, '/docs/x')).toEqual([404, 'ours', 'no-store', '*']);
    expect(await visit(site, '/docs')).toEqual([307, ...noRules]);
    expect(await visit(site, '/x')).toEqual([404, ...noRules]);
    expect(await visit(site, '/', { method: 'DELETE' })).toEqual([405, ...noRules]);
    expect(await visit(site, '/', { 'If-Match': '"x"' })).toEqual([412, ...noRules]);
    expect(await visit(site, '/', { Range: 'bytes=99-' })).toEqual([416, ...noRules]);
    expect(await visit(site, '/%')).toEqual([400, ...noRules]);
  });

  it('match the requested path instead of the path of the file (S32)', async () => {
    const { deployment: site } = await server().publish(FILES);
    const { text, headers } = await server().visit(site, '/app/route');
    expect([text, headers['x-app'], headers['x-index']]).toEqual(['front', 'yes', undefined]);
    expect((await server().visit(site, '/')).headers).not.toHaveProperty('x-index');
    expect((await server().visit(site, '/index.html')).headers).toMatchObject({ 'x-index': 'yes' });
  });

  it('are the only way to allow CORS, and only for a public site (S43)', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' },
    };
    const corsOf = async (site: string, options = {}) =>
      Object.entries((await server().visit(site, '/', options)).headers).filter(([name]) =>
        name.startsWith('access-control'),
      );
    const rules = `${RULES}  Access-Control-Allow-Methods: GET\n  Access-Control-Max-Age: 600`;
    const [plainSite, corsSite, protectedSite] = await Promise.all([
      server().publish({ 'index.html': 'x' }),
      server().publish({ 'index.html': 'x', _headers: rules }),
      server().publish({ 'index.html': 'x', _headers: rules }, { fields: { password: PASSWORD } }),
    ]);
    expect(await corsOf(plainSite.deployment, preflight)).toEqual([]);
    expect(await corsOf(plainSite.deployment, { headers: preflight.headers })).toEqual([]);
    expect(await server().visit(corsSite.deployment, '/', preflight)).toMatchObject({
      status: 204,
      text: '',
      headers: {
        allow: 'GET, HEAD, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET',
        'access-control-max-age': '600',
      },
    });
    expect(await corsOf(corsSite.deployment, { headers: preflight.headers })).toHaveLength(3);

    const unlockResponse = await enterPassword(server(), protectedSite.deployment, { password: PASSWORD });
    const headers = { ...preflight.headers, Cookie: cookieOf(unlockResponse) };
    expect(await corsOf(protectedSite.deployment, preflight)).toEqual([]);
    expect((await server().visit(protectedSite.deployment, '/', { headers })).status).toBe(200);
    for (const method of ['GET', 'OPTIONS'])
      expect(await corsOf(protectedSite.deployment, { method, headers })).toEqual([]);
  });
});

it('rules of a host apply only to requests for this host, which do not share a cached response (S30)', async () => {
  const { deployment } = await server().publish({
    'index.html': 'front',
    'page.html': 'page',
    _redirects: 'https://www.rules.example/* https://rules.example/:splat 301!\nhttps://rules.example/* /page.html 200',
    _headers: '/*\n  X-A: all\nhttps://rules.example/*\n  X-A: apex',
  });
  for (const host of ['rules.example', 'www.rules.example', 'other.rules.example'])
    await insertDomain(server(), host, { deployment });
  for (let round = 0; round < 2; round += 1) {
    const visit = async (host: string, path: string) => {
      const { status, headers, text } = await server().visit(host, path);
      return [status, headers['location'] ?? text, headers['x-a']];
    };
    expect(await visit('http://www.rules.example', '/a/b?c')).toEqual([301, 'https://rules.example/a/b?c', undefined]);
    expect(await visit('http://rules.example', '/')).toEqual([200, 'front', 'all, apex']);
    expect(await visit('http://rules.example', '/route')).toEqual([200, 'page', 'all, apex']);
    expect(await visit('http://other.rules.example', '/')).toEqual([200, 'front', 'all']);
    expect((await visit('http://other.rules.example', '/route'))[0]).toBe(404);
    expect(await visit(deployment, '/')).toEqual([200, 'front', 'all']);
  }
});

it('a response that depends on Accept varies by Accept, and other responses do not (S38)', async () => {
  const publish = async (files: Record<string, string>) =>
    (await server().publish({ 'index.html': 'front', 'docs/404.html': 'none', ...files })).deployment;
  const ruleSite = await publish({
    _redirects: '/app/* /index.html 200\n/app/* /elsewhere 301\n/docs/* /index.html 200',
  });
  const fallbackSite = await publish({ '200.html': 'fallback' });
  for (const [site, path, accept, status, varies] of [
    [ruleSite, '/app/route', 'text/html', 200, true],
    [ruleSite, '/app/route', 'image/png', 301, true],
    [ruleSite, '/docs/route', 'image/png', 404, true],
    [ruleSite, '/app/route.js', 'text/html', 200, true],
    [ruleSite, '/app/route.js', '*/*', 301, true],
    [ruleSite, '/', 'image/png', 200, false],
    [fallbackSite, '/route', 'text/html', 200, true],
    [fallbackSite, '/route', 'image/png', 404, true],
    [fallbackSite, '/route.js', 'text/html', 200, true],
    [fallbackSite, '/route.js', '*/*', 404, true],
  ] as const) {
    const response = await server().visit(site, path, { headers: { Accept: accept } });
    const varyFields = String(response.headers['vary'] ?? '').split(', ');
    expect([path, accept, response.status, varyFields.includes('Accept')]).toEqual([path, accept, status, varies]);
  }
});
