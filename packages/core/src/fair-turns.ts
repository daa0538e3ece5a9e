import { setTimeout } from 'node:timers/promises';

/**
 * The length of a turn in milliseconds: how much of one round of the event loop is spent on work that shares turns. Node
 * accepts few connections in each round, so long rounds delay new visitors.
 */
const TURN_MS = 2;

/** The work that waits, for each client in order. The clients are in the order in which they are served next. */
const waitingTurns = new Map<string, (() => void)[]>();
let isScheduled = false;
/** Whether this round of the event loop has a turn. */
let hasTurn = false;
let turnEnd = 0;
let restUntil = 0;

/** Whether work must wait for a later round of the event loop. Begins the turn of this round if it has none. */
export function isTurnOver(): boolean {
  return waitingTurns.size > 0 || isTimeUp();
}

/**
 * Runs a short piece of work in a turn that the whole process shares. If the turn of this round is used up, the work waits
 * for a later round. The clients are served in rotation, so one with many requests delays the others by one piece of work.
 *
 * @param client Whose work it is, such as an address or an account.
 * @returns What the work returns.
 * @throws what the work throws.
 */
export async function inFairTurn<T>(client: string, work: () => T): Promise<Awaited<T>> {
  if (!isTurnOver()) return await work();
  return await new Promise<T>((resolve, reject) => {
    const run = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    const queue = waitingTurns.get(client);
    if (queue) queue.push(run);
    else waitingTurns.set(client, [run]);
    scheduleTurn();
  });
}

/**
 * Resolves when a step may run that takes longer than a turn and cannot be divided. Other work of this module waits for
 * the next round. The next such step begins only after the process had as much time for other requests as this one takes.
 */
export async function ownTurn(client: string): Promise<void> {
  do {
    const restMs = restUntil - performance.now();
    if (restMs > 0) await setTimeout(restMs);
  } while (!(await inFairTurn(client, takeTurn)));
}

/** @returns False if the process must still rest from an earlier step. */
function takeTurn(): boolean {
  const startedMs = performance.now();
  if (startedMs < restUntil) return false;
  turnEnd = 0;
  setImmediate(() => {
    const now = performance.now();
    restUntil = now + (now - startedMs);
  });
  return true;
}

function isTimeUp(): boolean {
  if (!hasTurn) beginTurn();
  return performance.now() >= turnEnd;
}

function beginTurn(): void {
  hasTurn = true;
  turnEnd = performance.now() + TURN_MS;
  setImmediate(() => (hasTurn = false));
}

function scheduleTurn(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    beginTurn();
    // A client with more work moves to the end, and is visited again in this loop.
    for (const [client, queue] of waitingTurns) {
      if (isTimeUp()) break;
      const run = queue.shift()!;
      waitingTurns.delete(client);
      if (queue.length > 0) waitingTurns.set(client, queue);
      run();
    }
    if (waitingTurns.size > 0) scheduleTurn();
  });
}
