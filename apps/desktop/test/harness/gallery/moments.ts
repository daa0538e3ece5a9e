import type { Page } from 'playwright-core';

/** Counts how often a moment is drawn from then on: each card and row that shows one draws it anew with itself. */
export async function countMoments(page: Page): Promise<() => Promise<number>> {
  const moments = await page.evaluateHandle(() => {
    const counted = { count: 0 };
    const { toISOString } = Date.prototype;
    Object.assign(Date.prototype, {
      toISOString(this: Date) {
        counted.count += 1;
        return toISOString.call(this);
      },
    });
    return counted;
  });
  return () => moments.evaluate(({ count }) => count);
}
