import { setImmediate } from 'node:timers/promises';

/** How long bodies are processed before other connections get a turn, in milliseconds. */
const TURN_MS = 2;

let end = 0;
let next: Promise<void> | null = null;

/** Whether bodies were processed for so long that other connections should get a turn first. */
export function isTurnOver(): boolean {
  return performance.now() >= end;
}

/** Resolves when all other connections had a turn. */
export function nextTurn(): Promise<void> {
  // The first caller starts the next turn for all that wait.
  next ??= setImmediate().then(() => {
    next = null;
    end = performance.now() + TURN_MS;
  });
  return next;
}

/**
 * Processes a chunk of a body in JavaScript. After some milliseconds of such work in the whole process it lets all other
 * connections have a turn first, so that large bodies on many connections delay other requests only a little.
 *
 * @returns What the work returns.
 * @throws what the work throws.
 */
export async function inFairTurn<T>(work: () => T): Promise<Awaited<T>> {
  while (isTurnOver()) await nextTurn();
  return await work();
}

/** Resolves at the start of a turn in which nothing else is processed: for a step that takes longer than a turn. */
export async function ownTurn(): Promise<void> {
  do await nextTurn();
  while (isTurnOver());
  end = 0;
}
