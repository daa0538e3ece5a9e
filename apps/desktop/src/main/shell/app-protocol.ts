import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The scheme of the page. Nothing else has it: not links (`berth:`), not files. */
export const APP_SCHEME = 'berth-app';

const HOST = 'window';

/** The address of the page. */
export const PAGE_URL = `${APP_SCHEME}://${HOST}/index.html`;

/** What the scheme may do: it has hosts and relative addresses, and is as safe as `https:`. Nothing is fetched by it. */
export const APP_SCHEME_PRIVILEGES = {
  scheme: APP_SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: false, allowServiceWorkers: false, bypassCSP: false },
};

/**
 * Whether an address is that of our page, or of what belongs to it.
 *
 * The origin of a scheme of one's own is the string `null`, as is that of every other one: protocol and host are compared.
 */
export function isOurs(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === `${APP_SCHEME}:` && parsed.host === HOST;
}

/** Scripts, styles, pictures and fonts of the app alone; no request to anywhere, no text turned into markup or script. */
const POLICY = [
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
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-cache',
};

/** What a compiled page is made of. A file of another kind is not part of it, and is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * Answers the requests of the page with the files of a folder: those that a listing of it names, and nothing else. No path is
 * made of what was asked for, so there is none that could lead out of the folder; links in it are not followed.
 *
 * @param folder The compiled page.
 * @returns What answers; it never rejects. 403 for another scheme or host, 404 for what is not there, 405 for all but GET and HEAD.
 *
 * Source: design of the desktop app, §6.
 */
export function createAppProtocol(folder: string): (request: Request) => Promise<Response> {
  return async ({ method, url }) => {
    if (!isOurs(url)) return refuse(403);
    if (method !== 'GET' && method !== 'HEAD') return refuse(405);
    try {
      const path = decodeURIComponent(new URL(url).pathname);
      const file = (await filesOf(folder)).get(path === '/' ? '/index.html' : path);
      if (file === undefined) return refuse(404);
      const headers = { ...HEADERS, 'content-type': file.type };
      return new Response(method === 'HEAD' ? null : new Uint8Array(await readFile(file.path)), { headers });
    } catch {
      return refuse(404);
    }
  };
}

const refuse = (status: number) => new Response(null, { status, headers: HEADERS });

/** The files that are served, by the path of their address. */
async function filesOf(folder: string, below = ''): Promise<Map<string, { path: string; type: string }>> {
  const files = new Map<string, { path: string; type: string }>();
  const entries: Dirent[] = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    const name = `${below}/${entry.name}`;
    const type = TYPES[extname(entry.name)];
    if (entry.isDirectory()) for (const [inner, file] of await filesOf(folder, name)) files.set(inner, file);
    else if (entry.isFile() && type !== undefined) files.set(name, { path: join(folder, name), type });
  }
  return files;
}
