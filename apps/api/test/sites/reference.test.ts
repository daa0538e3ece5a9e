import { hash } from 'node:crypto';
import { launchBrowser, NO_BROWSER, openPage } from '@berth/testing/browser';
import { startServer, type TestServer } from '@berth/testing/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PAGE = '<!doctype html><title>Front</title>';

describe.skipIf(NO_BROWSER !== null)(
  `the reference in Chromium${NO_BROWSER === null ? '' : `, skipped: ${NO_BROWSER}`}`,
  () => {
    let server: TestServer;
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      [server, browser] = await Promise.all([startServer(), launchBrowser()]);
      ({ page } = await openPage(browser));
      await page.goto(`http://localhost:${server.port}/docs#/Deployments/deployments.create`);
      await page.getByRole('button', { name: 'Try it out' }).click();
    });
    afterAll(async () => {
      await browser.close();
      await server.close();
    });

    const row = (field: string) => page.locator(`tr[data-property-name="${field}"]`);

    it.each(['checksums', 'labels', 'password', 'via', 'ttl'])('suggests no %s for a deploy', async (field) => {
      expect(await row(field).locator('input[type="text"], input[type="password"], textarea').inputValue()).toBe('');
    });

    it('publishes a file with its checksum without an account', async () => {
      const file = { name: 'index.html', mimeType: 'text/html', buffer: Buffer.from(PAGE) };
      await row('files[]').locator('input[type="file"]').first().setInputFiles(file);
      await row('checksums')
        .locator('input, textarea')
        .first()
        .fill(JSON.stringify([hash('md5', PAGE)]));
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'POST'),
        page.getByRole('button', { name: 'Execute' }).click(),
      ]);
      expect(await answer.text()).toContain('"claim"');
      expect(answer.status()).toBe(201);
    });
  },
);
