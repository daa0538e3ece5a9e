import type { Page } from 'playwright-core';

/** How long the window was blocked, in milliseconds. */
export interface BlockedTimes {
  /** The longest task that the browser reports; 0 if no task took 50 ms. */
  task: number;
  /** The longest interval between two ticks of a 5 ms timer. */
  gap: number;
}

/**
 * Starts to measure how long the window is blocked. @returns A function that returns the maxima since its last call.
 */
export async function watchBusy(page: Page): Promise<() => Promise<BlockedTimes>> {
  const maxima = await page.evaluateHandle(() => {
    const maxima = { task: 0, gap: 0 };
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) maxima.task = Math.max(maxima.task, duration);
    });
    observer.observe({ entryTypes: ['longtask'] });
    let lastTick = performance.now();
    setInterval(() => {
      const now = performance.now();
      maxima.gap = Math.max(maxima.gap, now - lastTick);
      lastTick = now;
    }, 5);
    return maxima;
  });
  return () =>
    maxima.evaluate((maxima) => {
      const { task, gap } = maxima;
      maxima.task = 0;
      maxima.gap = 0;
      return { task, gap };
    });
}
