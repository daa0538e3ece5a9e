import { setImmediate } from 'node:timers/promises';

/** How long chunks of bodies are processed before other connections get a turn, in milliseconds. */
const TURN_MS = 2;

let end = 0;
let next: Promise<void> | null = null;

/**
 * Processes a chunk of a body in JavaScript. After some milliseconds of such work in the whole process it lets all other
 * connections have a turn first, so that large bodies on many connections delay other requests only a little.
 *
 * @throws what the work throws.
 */
export async function inFairTurn(work: () => void): Promise<void> {
  while (performance.now() >= end) {
    // The first one starts the next turn for all that wait.
    next ??= setImmediate().then(() => {
      next = null;
      end = performance.now() + TURN_MS;
    });
    await next;
  }
  work();
}
