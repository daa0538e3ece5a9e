import { launchBrowser, NO_BROWSER } from '@berth/testing/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Gallery, openGallery } from './window.ts';

/** A `describe` for tests of the window in a browser; skipped without one. @param tests May use the gallery only inside tests. */
export function describeWindow(title: string, tests: (gallery: Omit<Gallery, 'remove'>) => void): void {
  describe.skipIf(NO_BROWSER !== null)(title, () => {
    let browser: Browser;
    let gallery: Gallery;
    beforeAll(async () => {
      browser = await launchBrowser();
      gallery = await openGallery(browser);
    });
    afterAll(async () => {
      await browser?.close();
      await gallery?.remove();
    });
    tests({
      open: (...args) => gallery.open(...args),
      openSmallest: (...args) => gallery.openSmallest(...args),
    });
  });
}
