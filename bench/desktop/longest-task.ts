import type { Page } from 'playwright-core';

/** How long a window was blocked, in milliseconds. */
export interface Busy {
  /** The longest task that the browser reports; 0 when none took 50 ms. */
  task: number;
  /** The longest interval between two ticks of a 5 ms timer. */
  gap: number;
}

/**
 * Starts to measure how long the window is blocked. @returns A function that returns the maximum so far and resets it.
 */
export async function watchBusy(page: Page): Promise<() => Promise<Busy>> {
  const seen = await page.evaluateHandle(() => {
    const seen = { task: 0, gap: 0 };
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.task = Math.max(seen.task, duration);
    });
    observer.observe({ entryTypes: ['longtask'] });
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      seen.gap = Math.max(seen.gap, now - last);
      last = now;
    }, 5);
    return seen;
  });
  return () =>
    seen.evaluate((seen) => {
      const { task, gap } = seen;
      seen.task = 0;
      seen.gap = 0;
      return { task, gap };
    });
}
