import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Answer, askerOf } from '@berth/testing/requests';
import { expect } from 'vitest';

/** Files by their path in the site. */
export type Site = Record<string, Buffer>;

/** Reads a folder as a site: paths in NFC, separated by `/`. */
export async function readSite(folder: string, wanted: (path: string) => boolean = () => true): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const paths = files.map((file) => [relative(folder, file).split(sep).join('/').normalize('NFC'), file] as const);
  const read = paths
    .filter(([path]) => wanted(path))
    .map(async ([path, file]) => [path, await readFile(file)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** The media types of the files, written down independently of the server. */
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  md: 'text/markdown; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  scss: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  tsx: 'text/plain; charset=utf-8',
  ts: 'video/mp2t',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  vue: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff: 'font/woff',
};

const JUNK = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/;
const WITHHELD = /^(?!\.well-known\/)(.*\/)?\.|^(ship\.json|_redirects|_headers)$/;

/** True for files that are dropped at the upload. */
export const isDropped = (path: string) => JUNK.test(path);
/** True for files that are stored, but never served. */
export const isKept = (path: string) => WITHHELD.test(path);

/** Any path as the path of a URL, with every segment escaped as much as possible. */
export function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Fetches a whole site and compares every answer with its file. */
export async function checkPublished(asker: ReturnType<typeof askerOf>, deployment: string, site: Site): Promise<void> {
  const visit = (path: string, ask = {}) => asker.visit(deployment, path, ask);
  for (const [path, bytes] of Object.entries(site)) {
    const address = urlPath(path);
    const answer = await visit(address);
    if (isDropped(path) || isKept(path)) {
      expect(answer.status, path).toBe(404);
      continue;
    }
    expect(answer.status, path).toBe(200);
    expect(answer.bytes.equals(bytes), `the bytes of ${path}`).toBe(true);
    const etag = `"${hash('sha256', bytes).slice(0, 32)}"`;
    expect(answer.headers, path).toMatchObject({
      etag,
      'content-type': path.endsWith('/apple-app-site-association') ? TYPES['json'] : typeOf(path),
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
    });

    const head = await visit(address, { method: 'HEAD' });
    expect({ status: head.status, length: head.bytes.length }, path).toEqual({ status: 200, length: 0 });
    expect(lasting(head), `HEAD ${path}`).toEqual(lasting(answer));

    const again = await visit(address, { headers: { 'If-None-Match': etag } });
    expect({ status: again.status, length: again.bytes.length, etag: again.headers['etag'] }, path).toEqual({
      status: 304,
      length: 0,
      etag,
    });

    await checkPageForms(visit, path, site);
  }
}

/**
 * Checks that a page answers at its short address and that the other spelling redirects to it: `folder/` for an index,
 * `page` for a page.
 */
async function checkPageForms(visit: (path: string) => Promise<Answer>, path: string, site: Site): Promise<void> {
  const [, folder, page] = /^(?:(.*\/)?index|(.*))\.html$/.exec(path) ?? [];
  const isIndex = page === undefined;
  const short = isIndex ? (folder ?? '') : page;
  if (!path.endsWith('.html') || short in site) return;
  const answer = await visit(urlPath(short));
  expect({ status: answer.status, same: answer.bytes.equals(site[path]!) }, `/${short}`).toEqual({
    status: 200,
    same: true,
  });

  const other = isIndex ? short.slice(0, -1) : `${short}/`;
  if (short === '' || other in site || `${other}.html` in site || `${other}index.html` in site) return;
  const led = await visit(urlPath(other));
  expect(led.status, `/${other}`).toBe(307);
  expect(decodeURI(String(led.headers['location'])), `/${other}`).toBe(`/${short}`);
  expect((await visit(String(led.headers['location']))).status).toBe(200);
}

function typeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return TYPES[extension ?? ''] ?? 'application/octet-stream';
}

/** The headers that are the same in all answers. */
function lasting({ headers }: Answer) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id'));
}
