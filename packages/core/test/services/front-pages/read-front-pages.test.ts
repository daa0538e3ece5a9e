import { createTestCore, deploySite, type TestFiles } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import { readFrontPages } from '../../../src/services/front-pages/read-front-pages.ts';
import { getSite } from '../../../src/services/sites/list-sites.ts';

const test = await createTestCore();
const { caller } = await test.account('team');
afterAll(() => test.close());

const publish = async (files: TestFiles) => (await deploySite(test.core, caller, files)).body.deployment;
const siteOf = (deployment: string) => getSite({ core: test.core, caller }, deployment);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><g></g></svg>';
const ICON = `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`;
/** Returns a core whose store cannot read. */
const withoutStore = (failure: Error): Core => ({
  ...test.core,
  packs: { ...test.core.packs, read: () => Promise.reject(failure) },
});

describe('api §3: the title and the icon of a front page', () => {
  it('are read after the deploy, once', async () => {
    const page = '<title>Ada’s notes</title><link rel="icon" href="img/logo.svg">';
    const deployment = await publish({ 'index.html': page, 'img/logo.svg': SVG, 'favicon.ico': 'none' });
    expect(await siteOf(deployment)).toMatchObject({ title: null, icon: null });
    expect(await readFrontPages(test.core)).toBe(1);
    expect(await siteOf(deployment)).toMatchObject({ title: 'Ada’s notes', icon: ICON });
    expect(await readFrontPages(test.core)).toBe(0);
  });

  it.each([
    ['a file that no page names', '<title>x</title>', { 'favicon.svg': SVG }, ICON],
    ['a URL with its bytes', `<link rel=icon href="${ICON}">`, {}, ICON],
    ['a URL with its text', `<link rel=icon href='data:image/svg+xml,${encodeURIComponent(SVG)}'>`, {}, ICON],
    ['a URL with its text, not encoded', `<link rel=icon href='data:image/svg+xml,${SVG}%'>`, {}, ICON],
    ['the next one, if the first is no icon', '<link rel=icon href=a.png>', { 'a.png': 'x', 'favicon.ico': SVG }, ICON],
    ['nothing, if its file is missing', '<link rel=icon href=a.png>', {}, null],
    ['nothing, if it is too large', '<title>x</title>', { 'favicon.svg': SVG.padEnd(200_000) }, null],
  ])('can be %s', async (_, page, files, icon) => {
    const deployment = await publish({ 'index.html': page, ...files });
    await readFrontPages(test.core);
    expect(await siteOf(deployment)).toMatchObject({ icon });
  });

  it('are those in the first 256 KiB', async () => {
    const early = await publish({ 'index.html': `${' '.repeat(200_000)}<title>Early</title>${' '.repeat(1_000_000)}` });
    const late = await publish({ 'index.html': `${' '.repeat(300_000)}<title>Late</title>` });
    await readFrontPages(test.core);
    expect([(await siteOf(early)).title, (await siteOf(late)).title]).toEqual(['Early', null]);
  });

  it('are missing without an index.html, which costs nothing', async () => {
    const deployment = await publish({ 'about.html': '<title>About</title>', 'favicon.svg': SVG });
    expect(await readFrontPages(test.core)).toBe(0);
    expect(await siteOf(deployment)).toMatchObject({ title: null, icon: null });
  });

  it('are missing if the bytes are lost', async () => {
    const deployment = await publish({ 'index.html': '<title>Lost</title>' });
    expect(await readFrontPages(withoutStore(Object.assign(new Error('lost'), { code: 'ENOENT' })))).toBe(1);
    expect((await siteOf(deployment)).title).toBeNull();
  });

  it('are read again some minutes after a failure', async () => {
    const deployment = await publish({ 'index.html': '<title>Again</title>' });
    expect(await readFrontPages(withoutStore(Object.assign(new Error('away'), { code: 'EIO' })))).toBe(0);
    expect(await readFrontPages(test.core)).toBe(0);
    test.advance(120);
    expect(await readFrontPages(test.core)).toBe(1);
    expect((await siteOf(deployment)).title).toBe('Again');
  });

  it('are read once by several processes, and end with the deployment', async () => {
    const deployments = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publish({ 'index.html': `<title>${i}` })),
    );
    const counts = await Promise.all(Array.from({ length: 3 }, () => readFrontPages(test.core)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(8);
    await test.database.query('delete from deployment where id = any($1)', [deployments]);
    expect(await test.database.query('select from front_page where deployment_id = any($1)', [deployments])).toEqual(
      [],
    );
  });
});
