import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type AxeResults = Awaited<ReturnType<AxeBuilder['analyze']>>;

/** Expects that a page needs no sideways scrolling, and that axe finds no violation in the light and the dark scheme. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await overflowOf(page)).toBe(0);
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  expect(describeViolations(await axe.analyze()), 'in the light scheme').toEqual([]);
  expect(describeViolations(await contrastInTheDark(page)), 'in the dark scheme').toEqual([]);
}

/** Returns by how many pixels the widest part of a page is wider than its box. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      ...[document.documentElement, ...document.querySelectorAll('.page-body, nav, dialog')].map(
        (box) => box.scrollWidth - box.clientWidth,
      ),
    ),
  );
}

/** Checks only the contrast, because the dark scheme differs only in its colours. Uses the axe that the page has already loaded. */
async function contrastInTheDark(page: Page): Promise<AxeResults> {
  await page.emulateMedia({ colorScheme: 'dark' });
  return page.evaluate(() => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return axe.run({ runOnly: ['color-contrast'], resultTypes: ['violations'] });
  });
}

function describeViolations({ violations }: AxeResults): string[] {
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
  );
}
