import { describeInBrowser, openPage } from '@berth/testing/browser';
import { insertDomain } from '@berth/testing/domains';
import { useServer } from '@berth/testing/use-server';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

const PASSWORD = 'Grüße & 100% = +x';
const FILES = {
  'index.html': '<!doctype html><title>Front</title><p>The front page</p>',
  'docs/index.html':
    '<!doctype html><title>Docs</title><link rel="stylesheet" href="/style.css"><h1>Welcome in</h1><script src="app.js"></script>',
  'docs/app.js': 'document.title = "The script ran";',
  'style.css': 'h1 { color: rgb(1, 2, 3) }',
};

describeInBrowser('a protected site', (browser) => {
  const server = useServer();
  let site: string;
  beforeAll(async () => {
    site = (await server().publish(FILES, { fields: { password: PASSWORD } })).deployment;
    await insertDomain(server(), 'guarded.localhost', { kind: 'platform', deployment: site });
  });

  const address = (host: string, path = '/') => `http://${host}.localhost:${server().port}${path}`;
  /** Enters a password like a person without a mouse. */
  const type = async (page: Page, password: string) => {
    await page.locator('input[name=password]:focus').waitFor();
    await page.keyboard.type(password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  };

  it.each([
    ['a deployment', true],
    ['a domain', false],
  ] as const)('S59, S61: of %s opens with its password, with JavaScript: %s', async (kind, javaScriptEnabled) => {
    const host = kind === 'a domain' ? 'guarded' : site;
    const { page } = await openPage(browser(), { javaScriptEnabled });
    await page.goto(address(host, '/docs/?chapter=1'));
    await page.getByLabel('Password').and(page.locator(':focus')).waitFor();

    await type(page, 'not the password');
    expect(page.url()).toBe(address(host, '/.berth/unlock'));
    expect(await page.getByRole('alert').textContent()).toContain('The password is incorrect.');
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.getByLabel('Password').inputValue()).toBe('');

    await type(page, PASSWORD);
    expect(page.url()).toBe(address(host, '/docs/?chapter=1'));
    await page.getByRole('heading', { name: 'Welcome in' }).waitFor();
    if (javaScriptEnabled) {
      expect(await page.title()).toBe('The script ran');
      const colour = await page.evaluate<string>("getComputedStyle(document.querySelector('h1')).color");
      expect(colour).toBe('rgb(1, 2, 3)');
    }

    await page.goto(address(host, '/'));
    expect(await page.title()).toBe('Front');
    const other = host === site ? 'guarded' : site;
    await page.goto(address(other, '/'));
    expect(await page.title()).toBe('This site is protected by a password');
  });

  it('T16: a page of another site does not get a visitor in', async () => {
    const form = `<!doctype html><form method="post" action="${address(site, '/.berth/unlock')}"><input name="password" value="${PASSWORD.replace('&', '&amp;')}"><button>Go</button></form>`;
    const { deployment } = await server().publish({ 'index.html': form });
    const { page } = await openPage(browser());
    await page.goto(address(deployment));
    await page.getByRole('button').click();
    await page.getByRole('alert').filter({ hasText: 'was sent from a page of another site' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await type(page, PASSWORD);
    expect(await page.title()).toBe('Front');
  });

  it('T15: clears what a public site left in the browser, once its domain needs a password', async () => {
    const { deployment } = await server().publish({ 'index.html': '<!doctype html><title>Public</title>' });
    await insertDomain(server(), 'closing.localhost', { deployment });
    const { page } = await openPage(browser());
    await page.goto(address('closing'));
    await page.evaluate("localStorage.setItem('left', 'behind')");
    await server().database.query(`update domain set deployment_id = $1 where name = 'closing.localhost'`, [site]);
    await page.goto(address('closing'));
    expect(await page.title()).toBe('This site is protected by a password');
    expect(await page.evaluate("localStorage.getItem('left')")).toBeNull();
  });
});
