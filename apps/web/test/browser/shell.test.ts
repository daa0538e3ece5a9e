import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { expect, it } from 'vitest';
import { useConsole } from './built-console.ts';

const MAX_FIRST_LOAD_BYTES = 150 * 1024;
const LINKS = ['Publish', 'Sites', 'Domains', 'Activity', 'Tokens', 'Usage', 'Members', 'Account'];
const PAGES = [
  '/',
  '/app/sites',
  '/app/sites/a-site',
  '/app/domains',
  '/app/domains/a.example',
  '/app/activity',
  '/app/tokens',
  '/app/usage',
  '/app/members',
  '/app/account',
  '/app/sign-in',
  '/app/first',
  '/app/keep',
  '/app/invite',
  '/device',
  `/claim/${'0'.repeat(32)}`,
  '/app/nothing',
];

describeInBrowser('the shell of the console', (browser) => {
  const console = useConsole();

  it('api §13: links to every page, which opens without loading the document again', async () => {
    const { page, faults } = await openPage(browser());
    await page.goto(console.origin());
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link').first().waitFor();
    expect(await navigation.getByRole('listitem').getByRole('link').allInnerTexts()).toEqual(LINKS);
    await page.evaluate(() => void Object.assign(globalThis, { isSameDocument: true }));
    for (const name of LINKS) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await navigation.locator('[aria-current=page]').innerText()).toBe(name);
    }
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true);
    expect(faults.filter((fault) => !fault.includes('/session'))).toEqual([]);
  });

  it('offers to reload when the server has a newer console, and not before', async () => {
    const { page } = await openPage(browser());
    const becomeVisible = async () => {
      const answer = page.waitForResponse((response) => response.url() === `${console.origin()}/`, { timeout: 10_000 });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await (await answer).finished();
    };
    await page.goto(console.origin());
    await page.getByRole('heading', { level: 1 }).waitFor();
    await becomeVisible();
    expect(await page.getByText('This server was updated.').count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route(`${console.origin()}/`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll('/assets/index-', '/assets/index-new-'),
      });
    });
    await becomeVisible();
    await page.getByText('This server was updated.').waitFor();
    await page.unroute(`${console.origin()}/`);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('This server was updated.').waitFor({ state: 'detached' });
  });

  it.each(PAGES)('%s loads at most 150 KiB of compressed scripts, and violates no policy', async (path) => {
    const { page } = await openPage(browser());
    await page.addInitScript(() => {
      const violations: string[] = [];
      Object.assign(globalThis, { violations });
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        violations.push(`${violatedDirective} ${blockedURI}`),
      );
    });
    const scripts = new Set<string>();
    page.on(
      'request',
      (request) => request.resourceType() === 'script' && scripts.add(new URL(request.url()).pathname),
    );
    await page.goto(console.origin() + path, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(scripts.size).toBeGreaterThan(0);
    for (const extension of ['br', 'gz'])
      expect(await sumOfSizes([...scripts], extension), extension).toBeLessThan(MAX_FIRST_LOAD_BYTES);
    expect(await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations)).toEqual([]);
  });

  /** Returns the bytes of scripts in a compressed form. Small scripts have none. */
  async function sumOfSizes(scripts: readonly string[], extension: string): Promise<number> {
    const paths = scripts.map((script) => join(console.folder(), script));
    const files = await Promise.all(paths.map((path) => readFile(`${path}.${extension}`).catch(() => readFile(path))));
    return files.reduce((sum, { length }) => sum + length, 0);
  }
});
