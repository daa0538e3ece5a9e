import { join } from 'node:path';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkPublished, isDropped, isKept, readSite, type Site, urlPath } from './published.ts';

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

describe('a site with awkward but valid names', () => {
  const server = useServer();
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

  it('is served as it was published, except dot files and junk', () => checkPublished(server(), deployment, site));

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

  it('S11: distinguishes names that differ only by case', async () => {
    for (const path of ['Case.txt', 'case.txt'])
      expect((await server().visit(deployment, `/${path}`)).text).toBe(`the bytes of ${path}`);
    expect((await server().visit(deployment, '/CASE.txt')).status).toBe(404);
    expect((await server().visit(deployment, '/upper.txt')).status).toBe(404);
  });

  it('S39: answers a missing page with the nearest 404.html, and with the same headers to HEAD', async () => {
    for (const [path, page] of [
      ['/nowhere', '404.html'],
      ['/deep/a/b/nowhere', '404.html'],
      [urlPath('日本語/どこにも'), '日本語/404.html'],
      [urlPath('日本語/a/b/c.png'), '日本語/404.html'],
    ] as const) {
      const answer = await server().visit(deployment, path);
      expect({ status: answer.status, text: answer.text }, path).toEqual({ status: 404, text: String(site[page]) });
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
      const head = await server().visit(deployment, path, { method: 'HEAD' });
      expect({ status: head.status, length: head.headers['content-length'] }).toEqual({
        status: 404,
        length: String(site[page]!.length),
      });
    }
  });
});
