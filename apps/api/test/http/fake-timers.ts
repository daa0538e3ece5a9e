import { vi } from 'vitest';

/** Stops the timers that limit bodies during `work`, so that only `vi.advanceTimersByTime` advances them. */
export async function withFakeTimers(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
