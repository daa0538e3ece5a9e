import { useSyncExternalStore } from 'react';

/** The clocks by their interval. Components with the same interval share a timer and render together. */
const clocks = new Map<number, ReturnType<typeof openClock>>();

/** Returns the time in Unix milliseconds. Renders again at this interval, and when the window becomes visible. Default: 10 s. */
export function useNow(everyMs = 10_000): number {
  const clock = clocks.get(everyMs) ?? openClock(everyMs);
  clocks.set(everyMs, clock);
  return useSyncExternalStore(clock.subscribe, clock.get);
}

/** Creates a clock that runs only while it has subscribers. */
function openClock(everyMs: number) {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval>;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    get: () => now,
    subscribe(listener: () => void) {
      if (listeners.size === 0) {
        now = Date.now();
        timer = setInterval(tick, everyMs);
        // Timers are throttled while the window is hidden.
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
