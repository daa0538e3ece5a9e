const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** If a worker lived this long, its end has nothing to do with its start. */
const SETTLED_MS = 10_000;
const MAX_IN_A_ROW = 5;

/** The facts about a worker that has ended. */
export interface Ending {
  /** How long it lived. */
  livedMs: number;
  /** How many of its predecessors in a row ended soon after their start. */
  before: number;
  /** How many other workers are serving. */
  serving: number;
}

/** The reaction: start another worker after a pause, or give up. Pass `inARow` as `before` when that worker ends. */
export type Remedy = { kind: 'restart'; pauseMs: number; inARow: number } | { kind: 'give-up' };

/**
 * Decides how to react to the end of a worker. The first one is replaced at once. Workers that end soon after their start are
 * replaced after growing pauses. Never gives up while other workers are serving.
 */
export function remedyFor({ livedMs, before, serving }: Ending): Remedy {
  const inARow = livedMs < SETTLED_MS ? before + 1 : 0;
  if (inARow > MAX_IN_A_ROW && serving === 0) return { kind: 'give-up' };
  const pauseMs = inARow <= 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 2), MAX_PAUSE_MS);
  return { kind: 'restart', pauseMs, inARow };
}
