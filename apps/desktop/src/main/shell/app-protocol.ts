import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** The scheme of the page. Links to the app use another scheme, `berth:`. */
export const APP_SCHEME = 'berth-app';

const HOST = 'window';

/** The address of the page of the main window. */
export const PAGE_URL = `${APP_SCHEME}://${HOST}/index.html`;

/** The address of the page of the drop window. */
export const DROP_PAGE_URL = `${APP_SCHEME}://${HOST}/drop-window.html`;

/** The privileges of the scheme: hosts, relative addresses and a secure context, but no fetch. */
export const APP_SCHEME_PRIVILEGES = {
  scheme: APP_SCHEME,
  privileges: {
    standard: true,
    secure: true,
    supportFetchAPI: false,
    allowServiceWorkers: false,
    bypassCSP: false,
    // The page is the only origin, so its module scripts need no access across origins.
    corsEnabled: false,
    // The compiled scripts are kept, so that the window opens sooner at the next start.
    codeCache: true,
  },
};

/** True for the addresses of our page and its resources. */
export function isOurs(url: string): boolean {
  const parsed = URL.parse(url);
  // `origin` is the string `null` for every custom scheme, so it must not be compared.
  return parsed?.protocol === `${APP_SCHEME}:` && parsed.host === HOST;
}

/** Allows only the scripts, styles, images and fonts of the app. Forbids all requests, and turning text into markup or script. */
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

/** The file types of a compiled page. Other files are not served. */
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
 * Serves the files of a folder to the page. Finds each requested path in a listing of the folder, so no request can reach a file
 * outside the folder. Symbolic links are not followed.
 *
 * @param folder The compiled page.
 * @returns A handler that never rejects. It responds with 403 for another scheme or host, 404 for a missing file, and 405 for a
 *   method other than GET and HEAD. Source: desktop §6.
 */
export function createAppProtocol(folder: string): (request: Request) => Promise<Response> {
  return async ({ method, url }) => {
    if (!isOurs(url)) return emptyResponse(403);
    if (method !== 'GET' && method !== 'HEAD') return emptyResponse(405);
    try {
      const path = decodeURIComponent(new URL(url).pathname);
      const file = (await filesOf(folder)).get(path === '/' ? '/index.html' : path);
      if (file === undefined) return emptyResponse(404);
      const headers = { ...HEADERS, 'content-type': file.type };
      return new Response(method === 'HEAD' ? null : new Uint8Array(await readFile(file.path)), { headers });
    } catch {
      return emptyResponse(404);
    }
  };
}

const emptyResponse = (status: number) => new Response(null, { status, headers: HEADERS });

/** Lists the files that are served, by URL path. */
async function filesOf(folder: string, below = ''): Promise<Map<string, { path: string; type: string }>> {
  const files = new Map<string, { path: string; type: string }>();
  const entries: Dirent[] = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    const name = `${below}/${entry.name}`;
    const type = TYPES[extname(entry.name)];
    if (entry.isDirectory()) for (const [path, file] of await filesOf(folder, name)) files.set(path, file);
    else if (entry.isFile() && type !== undefined) files.set(name, { path: join(folder, name), type });
  }
  return files;
}
