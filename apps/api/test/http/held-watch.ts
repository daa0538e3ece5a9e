import { vi } from 'vitest';

/** Replaces the timers that limit bodies, so that only `vi.advanceTimersByTime` advances them. */
export async function withHeldWatch(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
