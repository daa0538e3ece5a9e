import { setImmediate as nextTurn } from 'node:timers/promises';
import { aborted } from './errors.ts';

/** The minimum time between two progress events, in milliseconds. */
export const PROGRESS_MS = 100;

/** How long work may block the event loop, in milliseconds. */
const SLICE_MS = 8;

/**
 * Runs work that emits events, and yields the events in order.
 *
 * If the caller stops iterating or aborts, the signal of the work is aborted, and the generator ends after the work has ended.
 *
 * @param work Its result or error becomes that of the generator. `tell` emits an event and returns how many are waiting.
 */
export async function* withEvents<E, R>(
  given: AbortSignal | undefined,
  work: (tell: (event: E) => number, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<E, R, undefined> {
  if (given?.aborted) throw aborted(given.reason);
  const left = new AbortController();
  const signal = given ? AbortSignal.any([given, left.signal]) : left.signal;
  const told: E[] = [];
  let news = Promise.withResolvers<void>();
  let ended = false;
  const running = work((event) => {
    news.resolve();
    return told.push(event);
  }, signal).finally(() => {
    ended = true;
    news.resolve();
  });
  running.catch(() => {});
  try {
    for (;;) {
      for (let event: E | undefined; (event = told.shift()) !== undefined;) yield event;
      if (ended) return await running;
      await news.promise;
      news = Promise.withResolvers();
    }
  } catch (thrown) {
    throw given?.aborted ? aborted(thrown) : thrown;
  } finally {
    left.abort();
    await running.catch(() => {});
  }
}

/** Runs a generator to its end, and returns its result. @param hear Called for each event. */
export async function takeAll<E, R>(
  events: AsyncGenerator<E, R, undefined>,
  hear: (event: E) => void = () => {},
): Promise<R> {
  for (;;) {
    const step = await events.next();
    if (step.done === true) return step.value;
    hear(step.value);
  }
}

/** Returns a function that returns true at most once per interval, for example to limit progress events. */
export function every(ms: number): () => boolean {
  let last = performance.now();
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
}

/**
 * Lets synchronous work yield to the event loop after it has run for a few milliseconds.
 *
 * @throws the reason of the signal if it is aborted.
 */
export function createTurns(signal: AbortSignal): { isOver(): boolean; next(): Promise<void> } {
  let isOver = every(SLICE_MS);
  return {
    isOver: () => isOver(),
    async next() {
      await nextTurn(undefined, { signal });
      isOver = every(SLICE_MS);
    },
  };
}
