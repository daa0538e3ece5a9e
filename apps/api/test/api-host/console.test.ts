import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConsole } from '../../src/api-host/console/console.ts';
import { listen, type SampleApi } from './sample-api.ts';

const SCRIPT = 'console.log("It floats.");'.repeat(100);
const BASE_URL = new URL('https://berth.example');

const folder = mkdtempSync(join(tmpdir(), 'berth-console-'));
let built: SampleApi;
let missing: SampleApi;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Berth</title>');
  writeFileSync(join(folder, 'assets/index-1a2b.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/index-1a2b.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/index-1a2b.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/worker-3c4d.js'), SCRIPT);
  writeFileSync(join(folder, '.sources.sha256'), '0'.repeat(64));
  built = await listen(createConsole({ baseUrl: BASE_URL, folder }).router);
  missing = await listen(createConsole({ baseUrl: BASE_URL, folder: null }).router);
});
afterAll(async () => {
  await Promise.all([built.close(), missing.close()]);
  rmSync(folder, { recursive: true });
});

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = html, api = built) => fetch(api.url + path, { headers });

describe('the console', () => {
  it.each(['/', '/app', '/app/sites', '/app/sites/calm-otter-4k9x2qd', '/device'])(
    'api §13: serves its document at %s to browsers, which check it each time',
    async (path) => {
      const response = await get(path);
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await response.text()).toContain('<title>Berth</title>');
      const etag = response.headers.get('etag')!;
      expect((await get(path, { ...html, 'If-None-Match': etag })).status).toBe(304);
    },
  );

  it.each([{}, { Accept: 'application/json' }, { Accept: '*/*' }])(
    'api §13: answers / to other clients (%o) with links to the reference',
    async (headers) => {
      const response = await get('/', headers as Record<string, string>);
      expect([response.status, response.headers.get('vary')]).toEqual([200, 'Accept']);
      expect(await response.json()).toEqual({
        openapi: 'https://berth.example/openapi.json',
        docs: 'https://berth.example/docs',
      });
    },
  );

  it('security §7: sends exactly the policy of its document, in which nothing is inline', async () => {
    const { headers } = await get('/');
    expect(headers.get('content-security-policy')!.split('; ')).toEqual([
      "default-src 'none'",
      'script-src https://berth.example/assets/',
      'style-src https://berth.example/assets/',
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types berth',
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
      'x-robots-tag': 'noindex',
    });
    const features = headers.get('permissions-policy')!;
    for (const name of ['publickey-credentials-get', 'publickey-credentials-create', 'clipboard-write'])
      expect(features.split(', ').filter((feature) => feature.startsWith(`${name}=`))).toEqual([`${name}=(self)`]);
    expect(features).toContain('camera=()');
  });

  it('lets only workers compile WebAssembly', async () => {
    const policyOf = async (path: string) => (await get(path)).headers.get('content-security-policy');
    expect(await policyOf('/assets/worker-3c4d.js')).toContain(
      "script-src https://berth.example/assets/ 'wasm-unsafe-eval'",
    );
    for (const path of ['/', '/assets/index-1a2b.js']) expect(await policyOf(path)).not.toContain('unsafe');
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['identity', null],
  ])('sends a file that never changes, to a client that accepts %s in the form %s', async (accepted, encoding) => {
    const response = await get('/assets/index-1a2b.js', { 'Accept-Encoding': accepted });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toBe(SCRIPT);
  });

  it.each(['/assets/index-0000.js', '/assets/index-1a2b.js.br', '/assets/..%2findex.html', '/assets/'])(
    'T17: returns 404 for %s, because only built files are served',
    async (path) => {
      const { status, body } = await built.rawRequest(`GET ${path} HTTP/1.1`);
      expect([status, JSON.parse(body)]).toMatchObject([404, { error: 'not_found' }]);
    },
  );

  it('answers HEAD as GET, and refuses other methods', async () => {
    for (const path of ['/', '/app/sites', '/assets/index-1a2b.js']) {
      const head = await fetch(built.url + path, { method: 'HEAD', headers: html });
      expect([head.status, await head.text(), Number(head.headers.get('content-length')) > 0]).toEqual([200, '', true]);
      const post = await fetch(built.url + path, { method: 'POST' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });

  it.each(['/', '/app/sites', '/device'])(
    'says at %s that it is not built, with the command that builds it',
    async (path) => {
      const response = await get(path, html, missing);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('npm run build:web');
      expect((await get('/', {}, missing)).status).toBe(200);
    },
  );
});
