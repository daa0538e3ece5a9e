import { vi } from 'vitest';

/** Holds the clocks that bodies are watched by, so that time passes for them by `vi.advanceTimersByTime` alone. */
export async function withHeldWatch(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
