import { join } from 'node:path';
import { DEFAULT_PLANS } from '@berth/contract';
import { describeInBrowser, openPage, type WatchedPage } from '@berth/testing/browser';
import { zip } from '@berth/testing/zip-bytes';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from './built-console.ts';
import { type Contents, dropOn, publishedUrl, useFolders } from './drop.ts';
import { signIn } from './sign-in.ts';

const SITE: Contents = { 'index.html': '<h1>It floats.</h1>', 'css/site.css': 'h1 { color: teal }' };

describeInBrowser('the drop page', (browser) => {
  const console = useConsole();
  const writeFolder = useFolders();

  async function openConsole(): Promise<WatchedPage> {
    const watched = await openPage(browser());
    await watched.page.goto(console.origin());
    await watched.page.getByRole('button', { name: 'Choose folder' }).waitFor();
    return watched;
  }

  /** Waits until a drop is published, and returns its front page. */
  async function visitPublished(page: Page, name: string, path = '/'): Promise<string> {
    const url = await publishedUrl(page, name);
    return (await console.server().visit(url, path)).text;
  }

  const cardOf = (page: Page, name: string): Locator => page.getByRole('article', { name, exact: true });

  it('publishes a folder that is dragged in without an account, names what it left out, and shows no control characters', async () => {
    const { page } = await openConsole();
    await dropOn(page, await writeFolder('s\u202Eite', { ...SITE, '.env': 'SECRET=1' }));
    expect(await visitPublished(page, 'site')).toBe('<h1>It floats.</h1>');
    expect(await visitPublished(page, 'site', '/css/site.css')).toBe('h1 { color: teal }');
    const text = await cardOf(page, 'site').innerText();
    expect(text).toContain('1 private file skipped: .env');
    expect(text).toContain('Expires in 3 days.');
  });

  it('publishes the folder of a dialog, with the keyboard alone', async () => {
    const { page } = await openConsole();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose folder' }).focus();
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(await writeFolder('chosen', SITE));
    expect(await visitPublished(page, 'chosen')).toBe('<h1>It floats.</h1>');
  });

  it('publishes a zip archive without the folder that contains everything', async () => {
    const { page } = await openConsole();
    const entries = Object.entries(SITE).map(([path, body]) => ({ name: `site/${path}`, body: String(body) }));
    const archive = zip([...entries, { name: '__MACOSX/site/._index.html', body: 'x' }]);
    await dropOn(page, join(await writeFolder('archives', { 'archive.zip': archive }), 'archive.zip'));
    expect(await visitPublished(page, 'archive.zip', '/css/site.css')).toBe('h1 { color: teal }');
  });

  it('publishes an HTML file alone as a front page, and several files as a site', async () => {
    const { page } = await openConsole();
    const folder = await writeFolder('loose', { ...SITE, 'note.html': 'A note', 'a.txt': 'a' });
    await dropOn(page, join(folder, 'note.html'));
    expect(await visitPublished(page, 'note.html')).toBe('A note');
    await dropOn(page, join(folder, 'index.html'), join(folder, 'a.txt'), join(folder, 'css'));
    expect(await visitPublished(page, '3 files', '/css/site.css')).toBe('h1 { color: teal }');
  });

  it('asks before it publishes a project, and publishes its build instead', async () => {
    const { page } = await openConsole();
    const files = { 'package.json': '{}', 'src/main.js': '', 'dist/index.html': 'The build' };
    await dropOn(page, await writeFolder('project', files));
    const card = cardOf(page, 'project');
    await card.getByText('looks like a project').waitFor();
    await card.getByRole('button', { name: 'Publish dist' }).click();
    expect(await visitPublished(page, 'project')).toBe('The build');
  });

  it('asks before it publishes a folder without a front page, and publishes nothing without a yes', async () => {
    const { page } = await openConsole();
    await dropOn(page, await writeFolder('notes', { 'a.txt': 'a' }));
    const card = cardOf(page, 'notes');
    await card.getByText('no index.html').waitFor();
    await card.getByRole('button', { name: 'Don’t publish' }).click();
    await card.waitFor({ state: 'detached' });
  });

  it('sends one content for one changed file of an account', async () => {
    const { page } = await openConsole();
    await signIn(page, console.server());
    const bodies: number[] = [];
    page.on('request', (request) => request.method() === 'PUT' && bodies.push(request.postDataBuffer()?.length ?? 0));
    await dropOn(page, await writeFolder('changing', SITE));
    await publishedUrl(page, 'changing');
    bodies.length = 0;
    await dropOn(page, await writeFolder('changing', { 'index.html': '<h1>It sails.</h1>' }));
    const cards = cardOf(page, 'changing');
    await cards.getByText('Published', { exact: true }).nth(1).waitFor();
    const url = await cards.first().getByRole('link').first().getAttribute('href');
    expect((await console.server().visit(url!)).text).toBe('<h1>It sails.</h1>');
    expect(bodies).toHaveLength(1);
  });

  it('publishes at a domain that is given as one word, shows it on the page of the domain, and adds another one', async () => {
    const { page } = await openConsole();
    await signIn(page, console.server());
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('tides');
    await dropOn(page, await writeFolder('tides-1', SITE));
    expect(await publishedUrl(page, 'tides-1')).toMatch(/^http:\/\/tides\.localhost:/);
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('link', { name: 'tides.localhost', exact: true }).first().click();
    await page.getByText('This name belongs to the server').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Add a domain…' }).click();
    await page.getByLabel('Domain', { exact: true }).fill('ebb');
    await page.getByText('ebb.localhost is available.').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'ebb.localhost' }).waitFor();
    await page.getByText('Shows no site yet.').waitFor();
  });

  it('refuses a folder that is too large without an account before it reads a file, with the limit', async () => {
    const { page } = await openConsole();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    const files = Array.from({ length: DEFAULT_PLANS[0]!.limits.maxFilesCount + 1 }, (_, file) => [`${file}.txt`, '']);
    await dropOn(page, await writeFolder('large', { 'index.html': '', ...Object.fromEntries(files) }));
    await cardOf(page, 'large').getByText('Not published').waitFor();
    expect(await cardOf(page, 'large').innerText()).toContain(
      DEFAULT_PLANS[0]!.limits.maxFilesCount.toLocaleString('en-US'),
    );
    expect(sent.filter((path) => path.startsWith('/trpc/deployments'))).toEqual([]);
  });

  it('names a file that the server refuses, and sends no content', async () => {
    const { page } = await openConsole();
    const bodies: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && bodies.push(request.url()));
    await dropOn(page, await writeFolder('programs', { ...SITE, 'setup.exe': 'MZ' }));
    const card = cardOf(page, 'programs');
    await card.getByText('Not published').waitFor();
    expect(await card.innerText()).toContain('setup.exe');
    expect(bodies).toEqual([]);
  });
});

describeInBrowser('the drop page of a server without anonymous deploys', (browser) => {
  const console = useConsole({ env: { ANONYMOUS_DEPLOYS: 'off' } });

  it('says that the person must sign in', async () => {
    const { page } = await openPage(browser());
    await page.goto(console.origin());
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('Hi') });
    const card = page.getByRole('article', { name: 'index.html' });
    await card.getByText('publishes only for people who are signed in').waitFor();
  });
});
