import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

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
