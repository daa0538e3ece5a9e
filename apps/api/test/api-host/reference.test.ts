import { appRouter } from '@berth/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api-host/openapi.ts';
import { referenceRouter } from '../../src/api-host/reference.ts';
import { listen, type SampleApi } from './sample-api.ts';

const options = { router: appRouter, baseUrl: 'http://localhost:4000', version: '1.2.3' };
const documents = {
  '/openapi.json': () => openApiDocument(options),
  '/openapi-3.0.json': () => openApiDocument({ ...options, openApiVersion: '3.0.3' }),
};

let api: SampleApi;
beforeAll(async () => void (api = await listen(referenceRouter(documents))));
afterAll(() => api.close());

const request = (path: string, init: RequestInit = {}) => fetch(api.url + path, { redirect: 'manual', ...init });

describe('the API reference', () => {
  it.each(['/openapi.json', '/openapi-3.0.json'] as const)('api §9: serves %s to every origin', async (path) => {
    const response = await request(path);
    expect(await response.json()).toEqual(documents[path]());
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each(['/docs', '/docs/reference.css', '/docs/reference.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])(
    'security §7: has no inline scripts or styles at %s, and loads nothing from other hosts',
    async (path) => {
      const { status, headers } = await request(path);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy')!;
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
        ]),
      );
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
      });
      expect(headers.has('access-control-allow-origin')).toBe(false);
    },
  );

  it('serves every file that its page and style sheet link to, with the right media type', async () => {
    const page = await request('/docs');
    expect([page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      'text/html; charset=utf-8',
      'no-store',
    ]);
    const stylesheet = await (await request('/docs/reference.css')).text();
    const urls = [
      ...(await page.text()).matchAll(/(?:src|href)="([^"]*)"/g),
      ...stylesheet.matchAll(/@import url\('([^']*)'\)/g),
    ].map(([, url]) => url!);
    const contentTypes = {
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      json: 'application/json; charset=utf-8',
    };
    const files = urls.filter((url) => !url.startsWith('data:'));
    expect(files.length).toBe(5);
    for (const file of files) {
      const { status, headers } = await request(file);
      expect([file, status, headers.get('content-type')]).toEqual([
        file,
        200,
        contentTypes[file.split('.').at(-1) as keyof typeof contentTypes],
      ]);
    }
  });

  it('returns 304 for a file that the browser has cached', async () => {
    const etag = (await request('/docs/reference.css')).headers.get('etag')!;
    const revalidated = await request('/docs/reference.css', { headers: { 'If-None-Match': etag } });
    expect([revalidated.status, await revalidated.text()]).toEqual([304, '']);
    expect((await request('/docs/reference.css', { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it.each([
    '/docs/',
    '/docs/index.html',
    '/docs/swagger-ui.js',
    '/docs/package.json',
    '/docs/../rest.ts',
    '/docs/%2e%2e/rest.ts',
    '/docs/..%2f..%2fpackage.json',
    '/docs/reference.css/',
    '/Docs',
  ])('T17: returns 404 for %s, because only listed files are served', async (path) => {
    const { status, body } = await api.rawRequest(`GET ${path} HTTP/1.1`);
    expect([status, JSON.parse(body)]).toMatchObject([404, { error: 'not_found' }]);
  });

  it('returns the same headers for HEAD as for GET, and 405 for other methods', async () => {
    for (const path of ['/docs', '/docs/reference.js', '/openapi.json']) {
      const head = await request(path, { method: 'HEAD' });
      expect([head.status, await head.text(), Number(head.headers.get('content-length')) > 0]).toEqual([200, '', true]);
    }
    for (const path of ['/docs', '/docs/reference.js', '/openapi.json']) {
      const post = await request(path, { method: 'POST' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });
});
