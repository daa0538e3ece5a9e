import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAppProtocol, isOurs } from '../../src/main/shell/app-protocol.ts';
import { makeHome, writeContents } from '../harness/app/folders.ts';

const SECRET = 'outside of the folder';

/** A compiled page, next to files that do not belong to it. */
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
  return { parent, answer: createAppProtocol(folder) };
}

/** A request whose address is not normalized, as it can come from elsewhere than Chromium. */
const raw = (url: string, method = 'GET') => ({ url, method }) as Request;

const ask = (answer: (request: Request) => Promise<Response>, path: string, method = 'GET') =>
  answer(raw(`berth-app://window${path}`, method));

it('serves the files of the page with their types (desktop §6)', async () => {
  const { answer } = compiled();
  const types: Record<string, string> = {
    '/': 'text/html; charset=utf-8',
    '/index.html': 'text/html; charset=utf-8',
    '/index.html?page=1#top': 'text/html; charset=utf-8',
    '/assets/index.js': 'text/javascript; charset=utf-8',
    '/assets/index.css': 'text/css; charset=utf-8',
    '/assets/a%20b.svg': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await ask(answer, path);
    expect([path, status, headers.get('content-type')]).toStrictEqual([path, 200, type]);
  }
});

it('sends the whole policy with every response, also with a refusal (desktop §6)', async () => {
  const { answer } = compiled();
  for (const response of [await ask(answer, '/'), await ask(answer, '/missing'), await ask(answer, '/', 'POST')]) {
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

it('answers only GET and HEAD', async () => {
  const { answer } = compiled();
  expect(await (await ask(answer, '/index.html', 'HEAD')).text()).toBe('');
  expect((await ask(answer, '/index.html', 'HEAD')).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get'])
    expect((await ask(answer, '/index.html', method)).status).toBe(405);
});

const OUTSIDE = [
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

it.for(OUTSIDE)('refuses the path %s (desktop §6)', async (path) => {
  const { answer } = compiled();
  const response = await ask(answer, path);
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
])('refuses %s, which is not an address of the page (desktop §6)', async (url) => {
  const { answer } = compiled();
  expect((await answer(raw(url))).status).toBe(403);
  expect(isOurs(url)).toBe(false);
});

it('never serves a file outside the folder, whatever the address (desktop §6)', async () => {
  const { parent, answer } = compiled();
  const parts = [...OUTSIDE.flatMap((path) => path.split('/')), '.', '\\', '/', '%5c', '%2f', 'renderer.js'];
  const part = fc.oneof(
    fc.constantFrom(...parts, 'renderer-other', 'index.html', parent, encodeURIComponent(parent)),
    fc.string({ unit: 'binary', maxLength: 5 }),
  );
  const hosts = ['window/', 'window', '/', 'window@window/', 'window:80/', 'WINDOW/', 'window//'];
  const host = fc.constantFrom('/', ...hosts.map((name) => `//${name}`));
  await fc.assert(
    fc.asyncProperty(host, fc.array(part, { maxLength: 6 }), fc.constantFrom('/', ''), async (start, path, between) => {
      const response = await answer(raw(`berth-app:${start}${path.join(between)}`));
      expect(await response.text()).not.toContain(SECRET);
      expect([200, 403, 404]).toContain(response.status);
    }),
    { numRuns: 250 },
  );
});
