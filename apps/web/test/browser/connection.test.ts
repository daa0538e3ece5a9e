import { join } from 'node:path';
import { describeInBrowser, openPage, type WatchedPage } from '@berth/testing/browser';
import { zip } from '@berth/testing/zip-bytes';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from './built-console.ts';
import { dropOn, publishedUrl, useFolders } from './drop.ts';
import { signIn } from './sign-in.ts';

/** What developer tools call “Slow 3G”. */
const SLOW_3G = { offline: false, latency: 2_000, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const NO_CONNECTION = 'There is no connection.';

/** Takes the connection away, also from the workers of the page. */
async function goOffline(page: Page): Promise<void> {
  await page.context().route('**', (route) => route.abort('failed'));
  await page.context().setOffline(true);
}

async function goOnline(page: Page): Promise<void> {
  await page.context().unroute('**');
  await page.context().setOffline(false);
}

describeInBrowser('the console without a good connection', (browser) => {
  const console = useConsole();
  const writeFolder = useFolders();
  const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true });

  async function openConsole(): Promise<WatchedPage> {
    const watched = await openPage(browser());
    await watched.page.goto(console.origin());
    await watched.page.getByRole('button', { name: 'Choose folder' }).waitFor();
    return watched;
  }

  it('keeps a folder that is dropped offline as the first one, and publishes it when the connection is back', async () => {
    const { page } = await openConsole();
    await goOffline(page);
    await dropOn(page, await writeFolder('offline', { 'index.html': 'hello' }));
    await cardOf(page, 'offline').getByText(NO_CONNECTION).waitFor();
    await goOnline(page);
    expect((await console.server().visit(await publishedUrl(page, 'offline'))).text).toBe('hello');
  });

  it('keeps folders and archives that a person who is signed in drops offline later', async () => {
    const { page } = await openConsole();
    await signIn(page, console.server());
    await dropOn(page, await writeFolder('before', { 'index.html': 'before' }));
    await publishedUrl(page, 'before');
    await goOffline(page);
    const archive = zip([{ name: 'index.html', body: 'zipped' }]);
    const folder = await writeFolder('later', { 'index.html': 'later', 'archive.zip': archive });
    await dropOn(page, join(folder, 'archive.zip'));
    await dropOn(page, folder);
    await cardOf(page, 'archive.zip').getByText(NO_CONNECTION).waitFor();
    await cardOf(page, 'later').getByText(NO_CONNECTION).waitFor();
    await goOnline(page);
    const { visit } = console.server();
    expect((await visit(await publishedUrl(page, 'archive.zip'))).text).toBe('zipped');
    expect((await visit(await publishedUrl(page, 'later'))).text).toBe('later');
  });

  it('removes a folder that was dropped offline when the person cancels it', async () => {
    const { page } = await openConsole();
    await goOffline(page);
    await dropOn(page, await writeFolder('cancelled', { 'index.html': 'hello' }));
    const card = cardOf(page, 'cancelled');
    await card.getByText(NO_CONNECTION).waitFor();
    await card.getByRole('button', { name: 'Cancel cancelled' }).click();
    await card.waitFor({ state: 'detached' });
  });

  it('pauses an upload when the connection is lost, and continues it', async () => {
    const { page } = await openConsole();
    const folder = await writeFolder('interrupted', {
      'index.html': 'hello',
      'a.bin': Buffer.alloc(9_000_000, 'a'),
      'b.bin': Buffer.alloc(9_000_000, 'b'),
    });
    await page.context().route('**/uploads/*/contents', (route) => route.abort('connectionreset'));
    await dropOn(page, folder);
    const card = cardOf(page, 'interrupted');
    await card.getByText('Trying again').waitFor();
    await goOffline(page);
    await card.getByText(NO_CONNECTION).waitFor();
    await page.context().unroute('**/uploads/*/contents');
    await goOnline(page);
    expect((await console.server().visit(await publishedUrl(page, 'interrupted'))).text).toBe('hello');
  });

  it('says who is signed in once the server answers, without a reload', async () => {
    const { page } = await openConsole();
    await page.context().route('**/session', (route) => route.abort('failed'));
    await page.goto(`${console.origin()}/app/sites`);
    await page.getByText('The server cannot be reached.').waitFor();
    await page.context().unroute('**/session');
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.getByText('Sign in to see your sites.').waitFor();
  });

  it('shows on slow 3G that it loads, then how much of a drop is sent, and publishes it', async () => {
    const { page, faults } = await openPage(browser());
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.enable');
    await devTools.send('Network.emulateNetworkConditions', SLOW_3G);
    await page.goto(console.origin(), { waitUntil: 'commit', timeout: 60_000 });
    await page.getByText('Loading Berth…').waitFor();
    await page.getByRole('button', { name: 'Choose folder' }).waitFor({ timeout: 60_000 });
    const files = { 'index.html': 'hello', 'a.bin': Buffer.alloc(200_000, 'a') };
    await dropOn(page, await writeFolder('slow', files));
    // The card does not wait for the code that publishes.
    await cardOf(page, 'slow').getByText('Scanning folder…').waitFor({ timeout: 1_000 });
    expect((await console.server().visit(await publishedUrl(page, 'slow'))).text).toBe('hello');
    expect(faults).toEqual([]);
  });
});

describeInBrowser('a browser that is too old for the console', (browser) => {
  const console = useConsole();

  it('shows which versions are needed, and nothing else', async () => {
    const { page } = await openPage(browser());
    await page.addInitScript(() => Object.defineProperty(URL, 'parse', { value: undefined }));
    await page.goto(console.origin());
    await page.getByRole('heading', { name: 'This browser is too old' }).waitFor();
    const text = await page.locator('body').innerText();
    for (const words of ['Firefox 126', 'Safari 18', 'command line']) expect(text).toContain(words);
    expect(text).not.toContain('Loading');
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it('shows it at the drop if only its workers are too old', async () => {
    const { page } = await openPage(browser());
    await page.addInitScript(() => {
      const { Worker: NewWorker } = globalThis;
      // An old browser starts a module as a classic script, which fails at its first import.
      globalThis.Worker = class extends NewWorker {
        constructor(url: string | URL) {
          super(url, { type: 'classic' });
        }
      };
    });
    await page.goto(console.origin());
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles({ name: 'index.html', mimeType: 'text/html', buffer: Buffer.from('Hi') });
    await page.getByRole('article', { name: 'index.html' }).getByText('too old to publish from a page').waitFor();
  });
});
