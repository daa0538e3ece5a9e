import type { Page } from 'playwright-core';

/** How long a window was busy at a stretch, in milliseconds. */
export interface Busy {
  /** The longest task that the browser tells of; 0 when none took 50 ms. */
  task: number;
  /** The longest time in which a timer of 5 ms did not come. */
  gap: number;
}

/** Begins to watch how long the window is busy. @returns What tells the longest so far, and begins anew. */
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
