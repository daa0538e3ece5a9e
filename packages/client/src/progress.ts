import { setImmediate as nextTurn } from 'node:timers/promises';
import { aborted } from './errors.ts';

/** Progress is told no more often than this, in milliseconds. */
export const PROGRESS_MS = 100;

/** How long work may hold the event loop, in milliseconds. */
const SLICE_MS = 8;

/**
 * Does work that tells of events, and yields them in order.
 *
 * When the caller stops iterating, or gives up, the work's signal is aborted, and the generator ends after the work has.
 *
 * @param work Ends with the result of the generator, or throws what it throws. `tell` returns how many events wait to be taken.
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

/** The result of a generator whose events are of no interest. */
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

/** Says, each time it is asked, whether so many milliseconds have passed since it last said so. */
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
 * For work in one thread: lets others have their turn, once it has held the event loop for some milliseconds.
 *
 * @throws the reason of the signal when it is aborted.
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
