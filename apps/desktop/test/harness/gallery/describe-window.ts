import { describeInBrowser } from '@berth/testing/browser';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Gallery, openGallery } from './window.ts';

/**
 * Describes tests of the window in a browser. Closes the pages that a test has opened. Without a browser the tests are skipped.
 *
 * @param tests May use the gallery only inside tests.
 */
export function describeWindow(title: string, tests: (gallery: Omit<Gallery, 'remove'>) => void): void {
  describeInBrowser(title, (browser) => {
    let gallery: Gallery;
    const openedPages: Page[] = [];
    beforeAll(async () => void (gallery = await openGallery(browser())));
    afterEach(async () => {
      for (const page of openedPages.splice(0)) await page.context().close();
    });
    afterAll(() => gallery?.remove());
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

/** Polls for at most 60 s until the expectation is met, because the machine may be busy. */
export function eventually<T>(read: () => Promise<T>, message?: string): ReturnType<typeof expect.poll<T>> {
  return expect.poll(read, { timeout: 60_000, message });
}

/** Returns the tag of the focused element, and its label or text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { tagName, textContent, ariaLabel } = document.activeElement!;
    return `${tagName} ${ariaLabel ?? textContent}`;
  });
}

export function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((node) => node === document.activeElement);
}
