import { setImmediate, setTimeout } from 'node:timers/promises';

/**
 * The length of a turn in milliseconds: how much of one round of the event loop is spent on work that shares turns. Node
 * accepts one connection in each round, so long rounds delay new visitors.
 */
const TURN_MS = 2;

/** Whether this round of the event loop has a turn. */
let hasTurn = false;
/** When the turn ends. */
let end = 0;
let next: Promise<void> | null = null;
let restUntil = 0;

/** Whether the turn of this round of the event loop is used up. Begins it if the round has none. */
export function isTurnOver(): boolean {
  beginTurn();
  return performance.now() >= end;
}

/**
 * Runs a short piece of work in a turn that the whole process shares. If the turn of this round is used up, waits for the
 * next round, so that many requests at once delay other connections only a little.
 *
 * @returns What the work returns.
 * @throws what the work throws.
 */
export async function inFairTurn<T>(work: () => T): Promise<Awaited<T>> {
  while (isTurnOver()) await nextTurn();
  return await work();
}

/**
 * Resolves at the start of a turn in which nothing else is processed, for a step that takes longer than a turn and cannot
 * be divided. The next such step begins only after the process had as much time for other requests as this one takes.
 */
export async function ownTurn(): Promise<void> {
  do {
    const rest = restUntil - performance.now();
    if (rest > 0) await setTimeout(rest);
    await nextTurn();
  } while (isTurnOver() || performance.now() < restUntil);
  end = 0;
  const started = performance.now();
  void setImmediate().then(() => {
    const now = performance.now();
    restUntil = now + (now - started);
  });
}

function beginTurn(): void {
  if (hasTurn) return;
  hasTurn = true;
  end = performance.now() + TURN_MS;
  void setImmediate().then(() => (hasTurn = false));
}

function nextTurn(): Promise<void> {
  // All callers share one promise.
  next ??= setImmediate().then(() => {
    next = null;
  });
  return next;
}
