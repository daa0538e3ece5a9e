import { describeInBrowser, openPage } from '@berth/testing/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from './built-console.ts';
import { dropOn, publishedUrl, useFolders } from './drop.ts';

/** Keeps everything that live regions announce from now on. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const announced: string[] = [];
    Object.assign(globalThis, { announced });
    let last = new Map<Element, string>();
    new MutationObserver(() => {
      const regions = document.querySelectorAll('[aria-live], [role=status], [role=alert]');
      const next = new Map([...regions].map((region) => [region, region.textContent.trim()] as const));
      for (const [region, text] of next) if (text !== '' && last.get(region) !== text) announced.push(text);
      last = next;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { announced: string[] }).announced);
}

describeInBrowser('the console announces', (browser) => {
  const console = useConsole();
  const writeFolder = useFolders();

  it('each step of a drop once, its end, and why another one failed', async () => {
    const { page } = await openPage(browser());
    await page.goto(console.origin());
    await page.getByRole('button', { name: 'Choose folder' }).waitFor();
    const announced = await listen(page);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose folder' }).click();
    const files = { 'index.html': 'hello', 'a.bin': Buffer.alloc(20_000_000, 'a') };
    await (await chooser).setFiles(await writeFolder('site', files));
    await publishedUrl(page, 'site');
    await expect.poll(announced).toContainEqual(expect.stringMatching(/^site is published/));
    const steps = await announced();
    expect(steps).toEqual([...new Set(steps)]);
    expect(steps).toContain('site: uploading files.');
    expect(steps.filter((text) => /\d/.test(text))).toEqual([]);

    await dropOn(page, await writeFolder('programs', { 'index.html': '', 'setup.exe': 'MZ' }));
    await page.getByRole('article', { name: 'programs' }).getByText('Not published').waitFor();
    const failures = (await announced()).filter((text) => text.includes('programs was not published'));
    expect(failures).toEqual([expect.stringContaining('setup.exe')]);
  });

  it('once that a sign-in has failed, and again when it fails again', async () => {
    const { page } = await openPage(browser());
    await page.goto(`${console.origin()}/app/sign-in`);
    const announced = await listen(page);
    const fails = async () => {
      const answered = page.waitForResponse('**/trpc/signIn.password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await answered;
      await page.getByRole('alert').waitFor();
    };
    await page.getByLabel('E-mail address').fill('nobody@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
    await fails();
    const alert = await page.getByRole('alert').innerText();
    const count = async () => (await announced()).filter((text) => text === alert.trim()).length;
    await expect.poll(count).toBe(1);
    await fails();
    await expect.poll(count).toBe(2);
  });
});
