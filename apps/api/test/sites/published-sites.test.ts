import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { HttpResponse } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { INSTALLED, readSite, type Site } from './installed.ts';

const HOSTILE_FOLDER = join(import.meta.dirname, '../../../../fixtures/sites/hostile');

/** File names that some file systems cannot contain. */
const GENERATED = [
  'CON',
  'nul.txt',
  'trailing dot.',
  'trailing space ',
  '...',
  'a|b.txt',
  'ab:c.txt',
  'folder/a:b',
  'star*.txt',
  'Case.txt',
  'case.txt',
  'CASE/x.txt',
  'ﬁ ligature, Å and Å.txt',
  `${'ü'.repeat(125)}x.txt`,
  // This path has the maximum of 1,024 bytes in 64 segments.
  `${Array.from({ length: 63 }, () => 'abcdefghijklmno').join('/')}/${'z'.repeat(12)}.txt`,
  '.DS_Store',
  'folder/.DS_Store',
];

/** The expected media type of each extension, independent of the server. */
const MEDIA_TYPES: Record<string, string> = {
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

const JUNK_PATTERN = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/;
const WITHHELD_PATTERN = /^(?!\.well-known\/)(.*\/)?\.|^(ship\.json|_redirects|_headers)$/;

/** Whether the upload drops the file. */
const isDropped = (path: string) => JUNK_PATTERN.test(path);
/** Whether the file is stored, but never served. */
const isWithheld = (path: string) => WITHHELD_PATTERN.test(path);

const server = useServer();

describe('a site with awkward but valid names', () => {
  let site: Site;
  let deployment: string;
  beforeAll(async () => {
    const generatedFiles = GENERATED.map(
      (path) => [path.normalize('NFC'), Buffer.from(`the bytes of ${path}`)] as const,
    );
    site = { ...(await readSite(HOSTILE_FOLDER)), ...Object.fromEntries(generatedFiles) };
    const published = await server().publish(site);
    deployment = published.deployment;
    expect(published.files).toBe(Object.keys(site).filter((path) => !isDropped(path)).length);
    expect(published.warnings!.map(({ file }) => file).toSorted()).toEqual(
      [...Object.keys(site).filter((path) => isWithheld(path) && !isDropped(path)), 'case.txt'].toSorted(),
    );
  });

  it('api §3: contains names of the maximum length and withheld files', () => {
    expect(Math.max(...Object.keys(site).map((path) => Buffer.byteLength(path)))).toBe(1024);
    expect(
      Math.max(...Object.keys(site).flatMap((path) => path.split('/').map((segment) => Buffer.byteLength(segment)))),
    ).toBe(255);
    expect(Object.keys(site).filter(isWithheld).length).toBeGreaterThanOrEqual(3);
  });

  it('is served as it was published, except withheld files and junk', () => checkPublished(deployment, site));

  it('S10: finds a name in every spelling of its letters, with one ETag and without a redirect', async () => {
    const path = 'Größe [2]/ñandú + ünïcode.css';
    const spellings = [path.normalize('NFC'), path.normalize('NFD')].flatMap((form) => {
      const escapedPath = urlPath(form);
      return [
        escapedPath,
        escapedPath.replaceAll(/%../g, (hex) => hex.toLowerCase()),
        encodeURI(`/${form}`),
        escapedPath.replaceAll('e', '%65'),
      ];
    });
    expect(new Set(spellings).size).toBe(8);
    const responses = await Promise.all(spellings.map((spelling) => server().visit(deployment, spelling)));
    for (const { status, bytes } of responses)
      expect({ status, same: bytes.equals(site[path]!) }).toEqual({ status: 200, same: true });
    expect(new Set(responses.map(({ headers }) => headers['etag'])).size).toBe(1);
  });

  it('T2: stores a decomposed name in its composed form', async () => {
    const bruleeSite = await server().publish({ ['Crème brûlée.txt'.normalize('NFD')]: 'sweet' });
    for (const form of ['NFC', 'NFD'])
      expect((await server().visit(bruleeSite.deployment, urlPath('Crème brûlée.txt'.normalize(form)))).text).toBe(
        'sweet',
      );
  });

  it.each([
    ['/nowhere', '404.html'],
    ['/deep/a/b/nowhere', '404.html'],
    [urlPath('日本語/どこにも'), '日本語/404.html'],
    [urlPath('日本語/a/b/c.png'), '日本語/404.html'],
  ])('S39: responds to %s with the nearest 404.html', async (path, page) => {
    const { status, text, headers } = await server().visit(deployment, path);
    expect({ status, text }).toEqual({ status: 404, text: String(site[page]) });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  });
});

describe('a real site', () => {
  const readStoredSize = () =>
    server().database.query('select count(*)::int as packs, sum(size)::float8 as bytes from pack');

  it.each(Object.values(INSTALLED))('is served as it was published: $describe', async ({ read }) => {
    const site = await read();
    expect(Object.keys(site).length).toBeGreaterThan(10);
    const { deployment, files, size, warnings } = await server().publish(site);
    const totalBytes = Object.values(site).reduce((sum, { length }) => sum + length, 0);
    expect({ files, size, warnings }).toEqual({
      files: Object.keys(site).length,
      size: totalBytes,
      warnings: undefined,
    });
    await checkPublished(deployment, site);

    const storedBefore = await readStoredSize();
    const redeploy = await server().publish(site);
    expect(redeploy.deployment).not.toBe(deployment);
    expect(await readStoredSize(), 'architecture, packs: a redeploy of the same site stores no new bytes').toEqual(
      storedBefore,
    );
  });
});

function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Requests every file of a site and compares the response with the file. */
async function checkPublished(deployment: string, site: Site): Promise<void> {
  const visit = (path: string, options = {}) => server().visit(deployment, path, options);
  for (const [path, bytes] of Object.entries(site)) {
    const requestPath = urlPath(path);
    const response = await visit(requestPath);
    if (isDropped(path) || isWithheld(path)) {
      expect(response.status, path).toBe(404);
      continue;
    }
    expect(response.status, path).toBe(200);
    expect(response.bytes.equals(bytes), `the bytes of ${path}`).toBe(true);
    const etag = `"${hash('sha256', bytes).slice(0, 32)}"`;
    expect(response.headers, path).toMatchObject({
      etag,
      'content-type': path.endsWith('/apple-app-site-association') ? MEDIA_TYPES['json'] : typeOf(path),
      'content-length': String(bytes.length),
      'x-content-type-options': 'nosniff',
    });

    const head = await visit(requestPath, { method: 'HEAD' });
    expect({ status: head.status, length: head.bytes.length }, path).toEqual({ status: 200, length: 0 });
    expect(stableHeaders(head), `HEAD ${path}`).toEqual(stableHeaders(response));

    const cached = await visit(requestPath, { headers: { 'If-None-Match': etag } });
    expect({ status: cached.status, length: cached.bytes.length, etag: cached.headers['etag'] }, path).toEqual({
      status: 304,
      length: 0,
      etag,
    });

    await checkPageForms(visit, path, site);
  }
}

/** Checks that an HTML file is found at its short path, and that the other spelling redirects there. */
async function checkPageForms(visit: (path: string) => Promise<HttpResponse>, path: string, site: Site): Promise<void> {
  const [, folder, page] = /^(?:(.*\/)?index|(.*))\.html$/.exec(path) ?? [];
  const isIndex = page === undefined;
  const shortPath = isIndex ? (folder ?? '') : page;
  if (!path.endsWith('.html') || shortPath in site) return;
  const response = await visit(urlPath(shortPath));
  expect({ status: response.status, same: response.bytes.equals(site[path]!) }, `/${shortPath}`).toEqual({
    status: 200,
    same: true,
  });

  const otherPath = isIndex ? shortPath.slice(0, -1) : `${shortPath}/`;
  if (shortPath === '' || otherPath in site || `${otherPath}.html` in site || `${otherPath}index.html` in site) return;
  const redirect = await visit(urlPath(otherPath));
  expect(redirect.status, `/${otherPath}`).toBe(307);
  expect(decodeURI(String(redirect.headers['location'])), `/${otherPath}`).toBe(`/${shortPath}`);
  expect((await visit(String(redirect.headers['location']))).status).toBe(200);
}

function typeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return MEDIA_TYPES[extension ?? ''] ?? 'application/octet-stream';
}

/** Returns the headers that are equal in all responses. */
function stableHeaders({ headers }: HttpResponse) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id'));
}
