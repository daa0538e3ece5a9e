import { setImmediate as nextTurn } from 'node:timers/promises';
import { createThrottle } from './progress.ts';

/** How long synchronous work may block the event loop, in milliseconds. */
const SLICE_MS = 8;

/** Measures how long synchronous work has run, so that it yields to the event loop every few milliseconds. */
export function createTimeSlices(signal: AbortSignal) {
  let isOver = createThrottle(SLICE_MS);
  return {
    isOver: (): boolean => isOver(),
    /** Yields to the event loop. @throws AbortError if the signal is aborted. */
    async next(): Promise<void> {
      await nextTurn(undefined, { signal });
      isOver = createThrottle(SLICE_MS);
    },
  };
}
