import { join } from 'node:path';
import type { CreatedDeployment } from '@berth/contract';
import { launchBrowser, NO_BROWSER, openPage } from '@berth/testing/browser';
import { OWNER_KEY } from '@berth/testing/requests';
import { startServer, type TestServer } from '@berth/testing/server';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { INSTALLED } from './installed.ts';
import { readSite } from './published.ts';

const PETSTORE = JSON.stringify({
  openapi: '3.0.0',
  info: { title: 'A stand-in for the pet store', version: '1' },
  paths: { '/pets': { get: { summary: 'Lists pets', responses: { 200: { description: 'Pets' } } } } },
});

describe.skipIf(NO_BROWSER !== null)(
  `a published site in Chromium${NO_BROWSER === null ? '' : `, skipped: ${NO_BROWSER}`}`,
  () => {
    let server: TestServer;
    let browser: Browser;
    beforeAll(async () => {
      [server, browser] = await Promise.all([startServer(), launchBrowser()]);
    });
    afterEach(async () => {
      for (const context of browser.contexts()) await context.close();
    });
    afterAll(async () => {
      await browser.close();
      await server.close();
    });

    const address = ({ deployment }: CreatedDeployment, path = '/') =>
      `http://${deployment}.localhost:${server.port}${path}`;

    it('reveal.js shows slides and turns them with the arrow keys', async () => {
      const presentation = await server.publish(await INSTALLED['reveal']!.read());
      const { page, faults, foreign } = await openPage(browser);
      await page.goto(address(presentation));
      expect(await page.title()).toBe('reveal.js');
      const present = page.locator('section.present');
      expect(await present.textContent()).toBe('Slide 1');
      await page.keyboard.press('ArrowRight');
      await page.waitForURL('**/#/1');
      expect(await present.textContent()).toBe('Slide 2');
      await page.keyboard.press('ArrowLeft');
      await page.waitForURL((url) => url.hash !== '#/1');
      expect(await present.textContent()).toBe('Slide 1');
      expect(foreign).toEqual([]);

      await page.goto(address(presentation, '/demo'));
      await page.getByRole('heading', { name: 'The HTML Presentation Framework' }).waitFor();
      expect(await page.title()).toBe('reveal.js – The HTML Presentation Framework');
      expect(faults).toEqual([]);
    });

    it('swagger-ui draws a document', async () => {
      const swagger = await server.publish(await INSTALLED['swagger']!.read());
      const { page, faults } = await openPage(browser, {
        stubs: { 'https://petstore.swagger.io/v2/swagger.json': PETSTORE },
      });
      await page.goto(address(swagger));
      await page.getByRole('heading', { name: 'A stand-in for the pet store' }).waitFor();
      await page.getByText('Lists pets').waitFor();
      expect(await page.title()).toBe('Swagger UI');
      expect(faults).toEqual([]);
    });

    it('an app built by Vite loads its modules and starts its service worker', async () => {
      const viewer = await server.publish(await INSTALLED['viewer']!.read());
      const { page, faults, foreign } = await openPage(browser);
      await page.goto(address(viewer, '/traceViewer/'));
      await page.getByText('Drop Playwright Trace to load').waitFor();
      expect(await page.title()).toBe('Playwright Trace Viewer');
      const worker = await page.evaluate<string>(
        'navigator.serviceWorker.ready.then(({ active }) => active.scriptURL)',
      );
      expect(worker).toBe(address(viewer, '/traceViewer/sw.bundle.js'));
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    });

    it('a page finds its style sheets and images under awkward names', async () => {
      const bundle = await server.publish(
        await readSite(join(import.meta.dirname, '../../../../fixtures/sites/hostile')),
      );
      const { page, faults } = await openPage(browser);
      await page.goto(address(bundle));
      expect(await page.title()).toBe('Awkward names');
      const style = await page.evaluate<unknown>(
        "(({ color, letterSpacing }) => [color, letterSpacing])(getComputedStyle(document.querySelector('h1')))",
      );
      expect(style).toEqual(['rgb(1, 2, 3)', '7px']);
      const widths = await page.evaluate<unknown>('Array.from(document.images, (image) => image.naturalWidth)');
      expect(widths).toEqual([24, 24, 24]);
      for (const [name, shown] of [
        ['日本語', '日本語'],
        ['שלום', 'right to left'],
      ] as const) {
        await page.goto(address(bundle));
        await page.getByRole('link', { name }).click();
        await page.getByText(shown).waitFor();
      }
      expect(faults).toEqual([]);
    });

    it('T17: the reference of the API is displayed completely, without an error and without requests to other hosts', async () => {
      const { page, faults, foreign } = await openPage(browser);
      const hosts = new Set<string>();
      page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).host));
      await page.goto(`http://localhost:${server.port}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(await page.title()).toBe('Berth API');
      const document = (await server.api('/openapi.json')).json<{ paths: Record<string, object> }>();
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
        hosts: [`localhost:${server.port}`],
      });
    });
  },
);
