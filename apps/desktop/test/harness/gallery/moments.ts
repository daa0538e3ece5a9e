import type { Page } from 'playwright-core';

/** Counts renders of `Moment` from now on. A card or row that shows one renders it each time that it renders itself. */
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
