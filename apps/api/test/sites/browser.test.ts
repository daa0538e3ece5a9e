import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describeInBrowser, openPage } from '@berth/testing/browser';
import { insertDomain } from '@berth/testing/domains';
import { type Files, OWNER_KEY } from '@berth/testing/requests';
import { useServer } from '@berth/testing/use-server';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { INSTALLED, readSite } from './installed.ts';

const PAGE_HTML = '<!doctype html><title>Front</title>';
const PETSTORE = JSON.stringify({
  openapi: '3.0.0',
  info: { title: 'A stand-in for the pet store', version: '1' },
  paths: { '/pets': { get: { summary: 'Lists pets', responses: { 200: { description: 'Pets' } } } } },
});

const PASSWORD = 'Grüße & 100% = +x';
const PROTECTED_FILES = {
  'index.html': '<!doctype html><title>Front</title><p>The front page</p>',
  'docs/index.html':
    '<!doctype html><title>Docs</title><link rel="stylesheet" href="/style.css"><h1>Welcome in</h1><script src="app.js"></script>',
  'docs/app.js': 'document.title = "The script ran";',
  'style.css': 'h1 { color: rgb(1, 2, 3) }',
};

describeInBrowser('a published site', (browser) => {
  const server = useServer();

  const urlOf = (label: string, path = '/') => `http://${label}.localhost:${server().port}${path}`;
  const publish = async (files: Files, fields = {}) => (await server().publish(files, { fields })).deployment;

  it('a reveal.js site shows slides and turns them with the arrow keys', async () => {
    const revealSite = await publish(await INSTALLED['reveal']!.read());
    const { page, faults, foreign } = await openPage(browser());
    await page.goto(urlOf(revealSite));
    expect(await page.title()).toBe('reveal.js');
    const currentSlide = page.locator('section.present');
    expect(await currentSlide.textContent()).toBe('Slide 1');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/#/1');
    expect(await currentSlide.textContent()).toBe('Slide 2');
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL((url) => url.hash !== '#/1');
    expect(await currentSlide.textContent()).toBe('Slide 1');
    expect(foreign).toEqual([]);

    await page.goto(urlOf(revealSite, '/demo'));
    await page.getByRole('heading', { name: 'The HTML Presentation Framework' }).waitFor();
    expect(await page.title()).toBe('reveal.js – The HTML Presentation Framework');
    expect(faults).toEqual([]);
  });

  it('swagger-ui on a published site shows an OpenAPI document', async () => {
    const swaggerSite = await publish(await INSTALLED['swagger']!.read());
    const { page, faults } = await openPage(browser(), {
      stubs: { 'https://petstore.swagger.io/v2/swagger.json': PETSTORE },
    });
    await page.goto(urlOf(swaggerSite));
    await page.getByRole('heading', { name: 'A stand-in for the pet store' }).waitFor();
    await page.getByText('Lists pets').waitFor();
    expect(await page.title()).toBe('Swagger UI');
    expect(faults).toEqual([]);
  });

  it('an app built by Vite loads its modules and starts its service worker', async () => {
    const viewerSite = await publish(await INSTALLED['viewer']!.read());
    const { page, faults, foreign } = await openPage(browser());
    await page.goto(urlOf(viewerSite, '/traceViewer/'));
    await page.getByText('Drop Playwright Trace to load').waitFor();
    expect(await page.title()).toBe('Playwright Trace Viewer');
    const worker = await page.evaluate<string>('navigator.serviceWorker.ready.then(({ active }) => active.scriptURL)');
    expect(worker).toBe(urlOf(viewerSite, '/traceViewer/sw.bundle.js'));
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  it('a page loads style sheets and images with awkward names', async () => {
    const hostileSite = await publish(await readSite(join(import.meta.dirname, '../../../../fixtures/sites/hostile')));
    const { page, faults } = await openPage(browser());
    await page.goto(urlOf(hostileSite));
    expect(await page.title()).toBe('Awkward names');
    const headingStyle = await page.evaluate<unknown>(
      "(({ color, letterSpacing }) => [color, letterSpacing])(getComputedStyle(document.querySelector('h1')))",
    );
    expect(headingStyle).toEqual(['rgb(1, 2, 3)', '7px']);
    const widths = await page.evaluate<unknown>('Array.from(document.images, (image) => image.naturalWidth)');
    expect(widths).toEqual([24, 24, 24]);
    for (const [name, shown] of [
      ['日本語', '日本語'],
      ['שלום', 'right to left'],
    ] as const) {
      await page.goto(urlOf(hostileSite));
      await page.getByRole('link', { name }).click();
      await page.getByText(shown).waitFor();
    }
    expect(faults).toEqual([]);
  });

  it('T17: the API reference is complete in a browser, and makes no requests to other hosts', async () => {
    const { page, faults, foreign } = await openPage(browser());
    const hosts = new Set<string>();
    page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).host));
    await page.goto(`http://localhost:${server().port}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.title()).toBe('Berth API');
    const document = (await server().api('/openapi.json')).json<{ paths: Record<string, object> }>();
    expect(await page.locator('.opblock').count()).toBe(
      Object.values(document.paths).flatMap((path) => Object.keys(path)).length,
    );
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByRole('dialog').or(page.locator('.dialog-ux')).getByRole('textbox').first().fill(OWNER_KEY);
    await page.getByRole('button', { name: 'Apply credentials' }).first().click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page
      .locator('#operations-account-getAccount, .opblock')
      .filter({ hasText: '/account' })
      .first()
      .locator('.opblock-summary')
      .click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').waitFor();
    expect({ faults, foreign, hosts: [...hosts] }).toEqual({
      faults: [],
      foreign: [],
      hosts: [`localhost:${server().port}`],
    });
  });

  describe('a site with a password', () => {
    let siteId: string;
    beforeAll(async () => {
      siteId = await publish(PROTECTED_FILES, { password: PASSWORD });
      await insertDomain(server(), 'guarded.localhost', { kind: 'platform', deployment: siteId });
    });

    /** Enters a password with the keyboard only. */
    const typePassword = async (page: Page, password: string) => {
      await page.locator('input[name=password]:focus').waitFor();
      await page.keyboard.type(password);
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    };

    it.each([
      ['a deployment', true],
      ['a domain', false],
    ] as const)('S59, S61: opens with the password at %s, with JavaScript: %s', async (kind, javaScriptEnabled) => {
      const host = kind === 'a domain' ? 'guarded' : siteId;
      const { page } = await openPage(browser(), { javaScriptEnabled });
      await page.goto(urlOf(host, '/docs/?chapter=1'));
      await page.getByLabel('Password').and(page.locator(':focus')).waitFor();

      await typePassword(page, 'not the password');
      expect(page.url()).toBe(urlOf(host, '/.berth/unlock'));
      expect(await page.getByRole('alert').textContent()).toContain('The password is incorrect.');
      expect(await page.title()).toMatch(/^Error: /);
      expect(await page.getByLabel('Password').inputValue()).toBe('');

      await typePassword(page, PASSWORD);
      expect(page.url()).toBe(urlOf(host, '/docs/?chapter=1'));
      await page.getByRole('heading', { name: 'Welcome in' }).waitFor();
      if (javaScriptEnabled) {
        expect(await page.title()).toBe('The script ran');
        const color = await page.evaluate<string>("getComputedStyle(document.querySelector('h1')).color");
        expect(color).toBe('rgb(1, 2, 3)');
      }

      await page.goto(urlOf(host, '/'));
      expect(await page.title()).toBe('Front');
      const otherHost = host === siteId ? 'guarded' : siteId;
      await page.goto(urlOf(otherHost, '/'));
      expect(await page.title()).toBe('This site is protected by a password');
    });

    it('T16: is not opened by a form on a page of another site', async () => {
      const form = `<!doctype html><form method="post" action="${urlOf(siteId, '/.berth/unlock')}"><input name="password" value="${PASSWORD.replace('&', '&amp;')}"><button>Go</button></form>`;
      const deployment = await publish({ 'index.html': form });
      const { page } = await openPage(browser());
      await page.goto(urlOf(deployment));
      await page.getByRole('button').click();
      await page.getByRole('alert').filter({ hasText: 'was sent from a page of another site' }).waitFor();
      expect(await page.context().cookies()).toEqual([]);
      await typePassword(page, PASSWORD);
      expect(await page.title()).toBe('Front');
    });

    it('T15: clears the stored data of an earlier public site at the same domain', async () => {
      const deployment = await publish({ 'index.html': '<!doctype html><title>Public</title>' });
      await insertDomain(server(), 'closing.localhost', { deployment });
      const { page } = await openPage(browser());
      await page.goto(urlOf('closing'));
      await page.evaluate("localStorage.setItem('left', 'behind')");
      await server().database.query(`update domain set deployment_id = $1 where name = 'closing.localhost'`, [siteId]);
      await page.goto(urlOf('closing'));
      expect(await page.title()).toBe('This site is protected by a password');
      expect(await page.evaluate("localStorage.getItem('left')")).toBeNull();
    });
  });

  describe('the API reference', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await openPage(browser()));
      await page.goto(`http://localhost:${server().port}/docs#/Deployments/deploymentsCreate`);
      await tryForm(page);
    });

    /** Shows the form instead of the first type of body, which is an archive. */
    const tryForm = async (shownPage: Page) => {
      await shownPage.getByRole('button', { name: 'Try it out' }).click();
      await shownPage.locator('.opblock-section-request-body select.content-type').selectOption('multipart/form-data');
    };
    const row = (field: string) => page.locator(`tr[data-property-name="${field}"]`);

    it.each(['checksums', 'labels', 'password', 'via', 'ttl'])('suggests no %s for a deploy', async (field) => {
      expect(await row(field).locator('input[type="text"], input[type="password"], textarea').inputValue()).toBe('');
    });

    it('fits a screen of 390 px while a deploy is filled in', async () => {
      const narrowPage = await openPage(browser(), { viewport: { width: 390, height: 800 } });
      await narrowPage.page.goto(page.url());
      await tryForm(narrowPage.page);
      await narrowPage.page.getByRole('button', { name: 'Cancel' }).waitFor();
      const widths = await narrowPage.page
        .locator('.opblock.is-open :is(button, table, input, textarea)')
        .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().right));
      expect(Math.max(...widths)).toBeLessThanOrEqual(390);
      expect(await narrowPage.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    });

    it('publishes a file and its checksum without an account', async () => {
      const file = { name: 'index.html', mimeType: 'text/html', buffer: Buffer.from(PAGE_HTML) };
      await row('files[]').locator('input[type="file"]').first().setInputFiles(file);
      await row('checksums')
        .locator('input, textarea')
        .first()
        .fill(JSON.stringify([hash('md5', PAGE_HTML)]));
      const [response] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'POST'),
        page.getByRole('button', { name: 'Execute' }).click(),
      ]);
      expect(await response.text()).toContain('"claim"');
      expect(response.status()).toBe(201);
    });
  });
});
