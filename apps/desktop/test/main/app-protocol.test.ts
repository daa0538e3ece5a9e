import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAppProtocol, isOurs } from '../../src/main/shell/app-protocol.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';

const SECRET = 'outside of the folder';

/** Creates a compiled page, next to files that do not belong to the page. */
function compiled() {
  const parent = makeHome();
  const folder = join(parent, 'renderer');
  writeContents(parent, { 'secret.js': SECRET, 'renderer.js': SECRET, 'renderer-other/index.html': SECRET });
  writeContents(folder, {
    'index.html': '<!doctype html>',
    'assets/index.js': 'export {};',
    'assets/index.css': 'body {}',
    'assets/a b.svg': '<svg/>',
    'assets/index.js.map': '{}',
  });
  symlinkSync(join(parent, 'secret.js'), join(folder, 'assets', 'link.js'));
  symlinkSync(parent, join(folder, 'up'));
  return { parent, serve: createAppProtocol(folder) };
}

/** Creates a request whose address is not normalized. Chromium normalizes addresses, other senders may not. */
const rawRequest = (url: string, method = 'GET') => ({ url, method }) as Request;

const requestPath = (serve: (request: Request) => Promise<Response>, path: string, method = 'GET') =>
  serve(rawRequest(`berth-app://window${path}`, method));

it('the app protocol serves the files of the page with their types (desktop §6)', async () => {
  const { serve } = compiled();
  const types: Record<string, string> = {
    '/': 'text/html; charset=utf-8',
    '/index.html': 'text/html; charset=utf-8',
    '/index.html?page=1#top': 'text/html; charset=utf-8',
    '/assets/index.js': 'text/javascript; charset=utf-8',
    '/assets/index.css': 'text/css; charset=utf-8',
    '/assets/a%20b.svg': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await requestPath(serve, path);
    expect([path, status, headers.get('content-type')]).toStrictEqual([path, 200, type]);
  }
});

it('every response of the app protocol has the whole content security policy, even a refusal (desktop §6)', async () => {
  const { serve } = compiled();
  for (const [path, method] of [['/'], ['/missing'], ['/', 'POST']] as [string, string?][]) {
    const response = await requestPath(serve, path, method);
    expect(response.headers.get('content-security-policy')?.split('; ')).toStrictEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  }
});

it('the app protocol accepts only GET and HEAD requests', async () => {
  const { serve } = compiled();
  expect(await (await requestPath(serve, '/index.html', 'HEAD')).text()).toBe('');
  expect((await requestPath(serve, '/index.html', 'HEAD')).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get'])
    expect((await requestPath(serve, '/index.html', method)).status).toBe(405);
});

const OUTSIDE_PATHS = [
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/%2E%2E/secret.js',
  '/assets/../../secret.js',
  '/assets/%2e%2e/%2e%2e/secret.js',
  '/..%2fsecret.js',
  '/..%5csecret.js',
  '/..\\secret.js',
  '/%252e%252e/secret.js',
  '//secret.js',
  '///etc/passwd',
  '/%2fetc/passwd',
  '/C:/Windows/win.ini',
  '/index.html%00.js',
  '/%00',
  '/%',
  '/%ff',
  '/assets',
  '/assets/',
  '/assets/link.js',
  '/up/secret.js',
  '/assets/index.js.map',
  '/index.html/',
  '/INDEX.HTML',
  '/missing.js',
];

it.for(OUTSIDE_PATHS)('the app protocol refuses the path %s (desktop §6)', async (path) => {
  const { serve } = compiled();
  const response = await requestPath(serve, path);
  expect([403, 404]).toContain(response.status);
  expect(await response.text()).toBe('');
});

it.for([
  'berth-app://other/index.html',
  'berth-app://window:1/index.html',
  'berth-app:///index.html',
  'berth://window/index.html',
  'file:///etc/passwd',
  'https://window/index.html',
  'nonsense',
  '',
])('the app protocol refuses %s, because it is not an address of the page (desktop §6)', async (url) => {
  const { serve } = compiled();
  expect((await serve(rawRequest(url))).status).toBe(403);
  expect(isOurs(url)).toBe(false);
});

it('the app protocol serves no file outside its folder, whatever the address (desktop §6)', async () => {
  const { parent, serve } = compiled();
  const parts = [...OUTSIDE_PATHS.flatMap((path) => path.split('/')), '.', '\\', '/', '%5c', '%2f', 'renderer.js'];
  const pathPart = fc.oneof(
    fc.constantFrom(...parts, 'renderer-other', 'index.html', parent, encodeURIComponent(parent)),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const hosts = ['window/', 'window', '/', 'window@window/', 'window:80/', 'WINDOW/', 'window//'];
  const host = fc.constantFrom('/', ...hosts.map((name) => `//${name}`));
  await fc.assert(
    fc.asyncProperty(
      host,
      fc.array(pathPart, { maxLength: 6 }),
      fc.constantFrom('/', ''),
      async (start, path, between) => {
        const response = await serve(rawRequest(`berth-app:${start}${path.join(between)}`));
        expect(await response.text()).not.toContain(SECRET);
        expect([200, 403, 404]).toContain(response.status);
      },
    ),
    { numRuns: 250 },
  );
});
