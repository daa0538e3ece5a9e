import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Answer } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { INSTALLED, readSite, type Site } from './installed.ts';

const FOLDER = join(import.meta.dirname, '../../../../fixtures/sites/hostile');

/** Names that a checkout on some system could not contain. */
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
  // 1,024 bytes in 64 segments, the most that a path may have.
  `${Array.from({ length: 63 }, () => 'abcdefghijklmno').join('/')}/${'z'.repeat(12)}.txt`,
  '.DS_Store',
  'folder/.DS_Store',
];

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
const isDropped = (path: string) => JUNK.test(path);
/** True for files that are stored, but never served. */
const isKept = (path: string) => WITHHELD.test(path);

const server = useServer();

describe('a site with awkward but valid names', () => {
  let site: Site;
  let deployment: string;
  beforeAll(async () => {
    const generated = GENERATED.map((path) => [path.normalize('NFC'), Buffer.from(`the bytes of ${path}`)] as const);
    site = { ...(await readSite(FOLDER)), ...Object.fromEntries(generated) };
    const published = await server().publish(site);
    deployment = published.deployment;
    expect(published.files).toBe(Object.keys(site).filter((path) => !isDropped(path)).length);
    expect(published.warnings!.map(({ file }) => file).toSorted()).toEqual(
      [...Object.keys(site).filter((path) => isKept(path) && !isDropped(path)), 'case.txt'].toSorted(),
    );
  });

  it('api §3: contains the intended files', () => {
    expect(Math.max(...Object.keys(site).map((path) => Buffer.byteLength(path)))).toBe(1024);
    expect(
      Math.max(...Object.keys(site).flatMap((path) => path.split('/').map((segment) => Buffer.byteLength(segment)))),
    ).toBe(255);
    expect(Object.keys(site).filter(isKept).length).toBeGreaterThanOrEqual(3);
  });

  it('is served as it was published, except dot files and junk', () => checkPublished(deployment, site));

  it('S10: finds a name in every spelling of its letters, with one ETag and without a redirect', async () => {
    const path = 'Größe [2]/ñandú + ünïcode.css';
    const spellings = [path.normalize('NFC'), path.normalize('NFD')].flatMap((form) => {
      const escaped = urlPath(form);
      return [
        escaped,
        escaped.replaceAll(/%../g, (hex) => hex.toLowerCase()),
        encodeURI(`/${form}`),
        escaped.replaceAll('e', '%65'),
      ];
    });
    expect(new Set(spellings).size).toBe(8);
    const answers = await Promise.all(spellings.map((spelling) => server().visit(deployment, spelling)));
    for (const { status, bytes } of answers)
      expect({ status, same: bytes.equals(site[path]!) }).toEqual({ status: 200, same: true });
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1);
  });

  it('T2: stores a name that was sent decomposed in its composed form', async () => {
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
  ])('S39: answers %s with the nearest 404.html', async (path, page) => {
    const { status, text, headers } = await server().visit(deployment, path);
    expect({ status, text }).toEqual({ status: 404, text: String(site[page]) });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  });
});

describe('a real site', () => {
  const stored = () => server().database.query('select count(*)::int as packs, sum(size)::float8 as bytes from pack');

  it.each(Object.values(INSTALLED))('is served as it was published: $describe', async ({ read }) => {
    const site = await read();
    expect(Object.keys(site).length).toBeGreaterThan(10);
    const { deployment, files, size, warnings } = await server().publish(site);
    const total = Object.values(site).reduce((sum, { length }) => sum + length, 0);
    expect({ files, size, warnings }).toEqual({ files: Object.keys(site).length, size: total, warnings: undefined });
    await checkPublished(deployment, site);

    const before = await stored();
    const again = await server().publish(site);
    expect(again.deployment).not.toBe(deployment);
    expect(await stored(), 'architecture, packs: a redeploy of the same site stores no new bytes').toEqual(before);
  });
});

/** Converts the path of a file to the path of a URL. Percent-encodes each segment. */
function urlPath(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Fetches a whole site and compares every answer with its file. */
async function checkPublished(deployment: string, site: Site): Promise<void> {
  const visit = (path: string, ask = {}) => server().visit(deployment, path, ask);
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
