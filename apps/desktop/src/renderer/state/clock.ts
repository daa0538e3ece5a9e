import { useSyncExternalStore } from 'react';

interface Clock {
  get(): number;
  subscribe(listener: () => void): () => void;
}

/** One clock for each pace: whatever tells the time ticks together, and one timer serves a hundred cards. */
const clocks = new Map<number, Clock>();

/** The time in Unix milliseconds, drawn anew every so often, and when the window comes into sight. */
export function useNow(everyMs = 10_000): number {
  const clock = clocks.get(everyMs) ?? openClock(everyMs);
  clocks.set(everyMs, clock);
  return useSyncExternalStore(clock.subscribe, clock.get);
}

/** Goes only while somebody looks at it. */
function openClock(everyMs: number): Clock {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval>;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    get: () => now,
    subscribe(listener) {
      if (listeners.size === 0) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
        // Timers of a hidden window are slow.
        document.addEventListener('visibilitychange', tick);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        document.removeEventListener('visibilitychange', tick);
      };
    },
  };
}
