import { type RawAnswer, stop } from '@berth/testing/raw-socket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { comparable, hostOf, LOCKED, runSampleSites } from './running-host.ts';

/**
 * A locked answer without its length and without the address that its form leads back to, which is the requested one.
 */
function withoutWayBack(answer: RawAnswer): RawAnswer {
  const body = answer.body.replace(/name="next" value="[^"]*"/, 'name="next"');
  return { ...answer, body, headers: { ...answer.headers, 'content-length': '' } };
}

let host: Awaited<ReturnType<typeof runSampleSites>>;
beforeEach(async () => {
  host = await runSampleSites();
});
afterEach(() => stop(host.server));

describe('S58, S59, T16: a locked site', () => {
  const at = (method = 'GET') => ({ method, host: hostOf(LOCKED) });
  const spellings = [
    '/',
    '/index.html',
    '/about',
    '/about.html',
    '/docs',
    '/docs/',
    '//about',
    '/./about',
    '/docs/../about',
    '/%61bout',
    '/docs%2f',
    '/about?x=1',
    '/app.4f3a9b21.js',
    '/data.json',
    '/photo.png',
    '/empty.txt',
    '/nothing',
    '/docs/nothing',
    '/404.html',
    '/ship.json',
    '/.secret',
    '/.well-known/security.txt',
    '/.berth/unlock',
    '/.berth/unlock?next=//evil',
    '/ABOUT',
    '/about/',
    '/\\about',
    '/..%2fabout',
    '/%2e%2e/about',
    '/index',
    '/INDEX.html',
    '/index.html/',
    '/favicon.ico',
    `http://${hostOf(LOCKED)}/about`,
  ];
  const additions = [
    [],
    ['Range: bytes=0-3'],
    ['If-None-Match: *'],
    ['Range: bytes=0-3', 'If-Range: "x"'],
    ['If-Match: "x"'],
    ['If-Modified-Since: Fri, 31 Dec 2100 00:00:00 GMT'],
    ['Sec-Fetch-Dest: image'],
    ['Cookie: __Host-berth-unlock=v1.x.y.z'],
    ['X-Forwarded-Host: calm-otter-public1.sites.example'],
    ['Authorization: Basic eDp5'],
  ];

  it('answers every path, method, Range and condition in the same way, without any of its bytes', async () => {
    const expected = withoutWayBack(comparable(await host.get('/', [], at())));
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
    for (const name of ['etag', 'last-modified', 'accept-ranges', 'clear-site-data', 'access-control-allow-origin'])
      expect(expected.headers).not.toHaveProperty(name);

    for (const target of spellings) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        for (const lines of additions) {
          if (method === 'POST' && target.startsWith('/.berth/')) continue;
          const answer = withoutWayBack(comparable(await host.get(target, lines, at(method))));
          expect(answer, `${method} ${target} ${lines.join()}`).toEqual({
            ...expected,
            body: method === 'HEAD' ? '' : expected.body,
          });
        }
      }
    }
  });
});
