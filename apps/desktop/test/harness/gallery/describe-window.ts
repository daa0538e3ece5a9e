import { describeInBrowser } from '@berth/testing/browser';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { builtPages } from '../app/built-pages.ts';
import { type Gallery, openGallery } from './window.ts';

/**
 * Describes tests of the window in a browser. Closes the pages that a test has opened. Without a browser the tests are skipped.
 *
 * @param tests May use the gallery only inside tests.
 */
export function describeWindow(title: string, tests: (gallery: Gallery) => void): void {
  describeInBrowser(title, (browser) => {
    let gallery: Gallery;
    const openedPages: Page[] = [];
    beforeAll(async () => void (gallery = openGallery(browser(), await builtPages())));
    afterEach(async () => {
      for (const page of openedPages.splice(0)) await page.context().close();
    });
    tests({
      open: async (...args) => {
        const window = await gallery.open(...args);
        openedPages.push(window.page);
        return window;
      },
      openSmallest: (...args) => gallery.openSmallest(...args),
    });
  });
}
