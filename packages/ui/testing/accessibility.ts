import axe from 'axe-core';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The rules whose results depend on the width of the window: what is shown, where it is, and how large it is. */
const LAYOUT_RULES = ['color-contrast', 'scrollable-region-focusable', 'target-size', 'button-name', 'link-name'];

/** Expects that a page needs no sideways scrolling, and that axe finds no violation in the light and the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await overflowOf(page)).toBe(0);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violationsOf(page), 'in the light scheme').toEqual([]);
  // The dark scheme differs only in its colours.
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violationsOf(page, ['color-contrast']), 'in the dark scheme').toEqual([]);
}

/** Expects that a page that is accessible at one width needs no sideways scrolling and is accessible at this one too. */
export async function expectAccessibleLayout(page: Page, width: string): Promise<void> {
  expect(await overflowOf(page), width).toBe(0);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violationsOf(page, LAYOUT_RULES), width).toEqual([]);
}

/** Returns by how many pixels the widest part of a page is wider than its box. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[document.documentElement, ...document.querySelectorAll('.page-body, nav, dialog')].map(
        (box) => box.scrollWidth - box.clientWidth,
      ),
    ),
  );
}

/** Runs axe. @param rules Default: all. */
async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  // The source is evaluated once for each document, because it is large.
  if (!isLoaded) await page.evaluate(axe.source);
  const options: RunOptions = {
    resultTypes: ['violations'],
    // This rule is off by default.
    ...(rules ? { runOnly: rules } : { rules: { 'target-size': { enabled: true } } }),
  };
  const { violations } = await page.evaluate(
    (options) => (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(options),
    options,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`,
  );
}
