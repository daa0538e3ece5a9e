import { abortedError } from './errors.ts';

/** The minimum time between two progress events, in milliseconds. */
export const PROGRESS_INTERVAL_MS = 100;

/**
 * Runs work that emits events, and yields the events in order.
 *
 * If the caller stops iterating or aborts, the signal of the work is aborted. The generator returns after the work has ended.
 *
 * @param work Its result is returned, and its error is thrown. `emit` returns the number of events that were not yielded yet.
 */
export async function* yieldEvents<E, R>(
  callerSignal: AbortSignal | undefined,
  work: (emit: (event: E) => number, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<E, R, undefined> {
  if (callerSignal?.aborted) throw abortedError(callerSignal.reason);
  const stopping = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, stopping.signal]) : stopping.signal;
  const pendingEvents: E[] = [];
  let wakeUp = Promise.withResolvers<void>();
  let hasEnded = false;
  const runningWork = work((event) => {
    wakeUp.resolve();
    return pendingEvents.push(event);
  }, signal).finally(() => {
    hasEnded = true;
    wakeUp.resolve();
  });
  runningWork.catch(() => {});
  try {
    for (;;) {
      for (let event: E | undefined; (event = pendingEvents.shift()) !== undefined;) yield event;
      if (hasEnded) return await runningWork;
      await wakeUp.promise;
      wakeUp = Promise.withResolvers();
    }
  } catch (thrown) {
    throw callerSignal?.aborted ? abortedError(thrown) : thrown;
  } finally {
    stopping.abort();
    await runningWork.catch(() => {});
  }
}

/** Consumes a generator, and returns its result. @param onEvent Called for each event. */
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

/** Returns a function that returns true at most once per interval. @param ms The interval in milliseconds. */
export function createThrottle(ms: number): () => boolean {
  let lastTime = performance.now();
  return () => {
    const now = performance.now();
    if (now - lastTime < ms) return false;
    lastTime = now;
    return true;
  };
}
