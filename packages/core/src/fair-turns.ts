import { setImmediate, setTimeout } from 'node:timers/promises';

/** How long requests are processed before other connections get a turn, in milliseconds. */
const TURN_MS = 2;

/** Whether large requests were processed in this round of the event loop. */
let isOpen = false;
let end = 0;
let next: Promise<void> | null = null;
let restUntil = 0;

/** Whether large requests were processed for so long that other connections should get a turn first. */
export function isTurnOver(): boolean {
  open();
  return performance.now() >= end;
}

/**
 * Processes a part of a large request. After some milliseconds of such work in the whole process it lets all other
 * connections have a turn first, so that large requests on many connections delay others only a little.
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

/** Begins a turn, unless this round of the event loop has one. It lasts until the next round at most. */
function open(): void {
  if (isOpen) return;
  isOpen = true;
  end = performance.now() + TURN_MS;
  void setImmediate().then(() => (isOpen = false));
}

function nextTurn(): Promise<void> {
  // The first caller waits for all.
  next ??= setImmediate().then(() => {
    next = null;
  });
  return next;
}
