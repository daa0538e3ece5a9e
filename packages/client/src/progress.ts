import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortedError } from './errors.ts';

/** The minimum time between two progress events, in milliseconds. */
export const PROGRESS_INTERVAL_MS = 100;

/** How long work may block the event loop, in milliseconds. */
const SLICE_MS = 8;

/**
 * Runs work that emits events, and yields the events in order.
 *
 * If the caller stops iterating or aborts, the signal of the work is aborted, and the generator ends after the work has ended.
 *
 * @param work Its result or error becomes that of the generator. `emit` emits an event and returns how many are waiting.
 */
export async function* yieldEvents<E, R>(
  callerSignal: AbortSignal | undefined,
  work: (emit: (event: E) => number, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<E, R, undefined> {
  if (callerSignal?.aborted) throw abortedError(callerSignal.reason);
  const stopping = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, stopping.signal]) : stopping.signal;
  const pending: E[] = [];
  let wakeUp = Promise.withResolvers<void>();
  let ended = false;
  const running = work((event) => {
    wakeUp.resolve();
    return pending.push(event);
  }, signal).finally(() => {
    ended = true;
    wakeUp.resolve();
  });
  running.catch(() => {});
  try {
    for (;;) {
      for (let event: E | undefined; (event = pending.shift()) !== undefined;) yield event;
      if (ended) return await running;
      await wakeUp.promise;
      wakeUp = Promise.withResolvers();
    }
  } catch (thrown) {
    throw callerSignal?.aborted ? abortedError(thrown) : thrown;
  } finally {
    stopping.abort();
    await running.catch(() => {});
  }
}

/** Runs a generator to its end, and returns its result. @param onEvent Called for each event. */
export async function drain<E, R>(
  events: AsyncGenerator<E, R, undefined>,
  onEvent: (event: E) => void = () => {},
): Promise<R> {
  for (;;) {
    const step = await events.next();
    if (step.done === true) return step.value;
    onEvent(step.value);
  }
}

/** Returns a function that returns true at most once per interval, for example to limit progress events. */
export function createThrottle(ms: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
}

/** Lets synchronous work yield to the event loop after it has run for a few milliseconds. */
export class TimeSlices {
  readonly #signal: AbortSignal;
  #isOver = createThrottle(SLICE_MS);

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  isOver(): boolean {
    return this.#isOver();
  }

  /** Waits for the next turn. @throws the reason of the signal if it is aborted. */
  async next(): Promise<void> {
    await nextTurn(undefined, { signal: this.#signal });
    this.#isOver = createThrottle(SLICE_MS);
  }
}
