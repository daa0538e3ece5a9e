import { describeInBrowser, openPage } from '@berth/testing/browser';
import { codeIn, startMailServer, type TestMailServer } from '@berth/testing/mail-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useConsole } from './built-console.ts';
import { publishedUrl, useFolders } from './drop.ts';

/** More than the number of elements of a page that can have the focus. */
const MAX_TABS = 40;

/** Returns the name of the element that has the focus. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    return (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent).trim();
  });
}

/** Presses Tab until an element with a name has the focus, which must be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    if (focused === name) {
      expect(await page.evaluate(() => document.activeElement!.matches(':focus-visible'))).toBe(true);
      return;
    }
    passed.push(focused);
  }
  throw new Error(`Tab does not reach “${name}”, but only: ${passed.join(', ')}`);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

describeInBrowser('with the keyboard alone', (browser) => {
  let mail: TestMailServer;
  beforeAll(async () => void (mail = await startMailServer()));
  afterAll(() => mail.close());
  const console = useConsole({ env: () => ({ SMTP_URL: mail.url, SIGN_UP: 'on' }) });
  const writeFolder = useFolders();

  it('a person publishes a folder after a question, signs in with a code, claims the site, and opens it in the list', async () => {
    const { page } = await openPage(browser());
    await page.goto(console.origin());
    await page.getByRole('button', { name: 'Choose folder' }).waitFor();

    const chooser = page.waitForEvent('filechooser');
    await press(page, 'Choose folder');
    await (await chooser).setFiles(await writeFolder('notes', { 'a.txt': 'a' }));
    await page.getByText('Is this the right folder?').waitFor();
    await press(page, 'Publish notes anyway');
    const url = await publishedUrl(page, 'notes');

    const arriving = mail.next();
    await press(page, 'Sign in to keep it');
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await tabTo(page, 'E-mail address');
    await page.keyboard.type('keys@example.com');
    await press(page, 'Send me a code');
    const code = codeIn(await arriving);
    await page.getByLabel('Code').waitFor();
    // The field has the focus.
    await page.keyboard.type(code);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Keep this site' }).waitFor();
    await press(page, 'Keep this site');
    await page.getByText('The site is yours.').waitFor();
    await press(page, 'Show the site');
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Keep' }).waitFor();
    await press(page, 'Sites');
    await page.getByRole('heading', { name: 'Sites' }).waitFor();
    const [name = ''] = new URL(url).host.split('.');
    await page.getByRole('list', { name: 'Sites' }).getByText(name).first().waitFor();
  });
});
