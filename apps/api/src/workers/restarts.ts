const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A worker that has lived for so long has not ended because of its start. */
const SETTLED_MS = 10_000;
const MOST_IN_A_ROW = 5;

/** What is known of a worker that has ended. */
export interface Ending {
  /** For how long it lived. */
  livedMs: number;
  /** How many workers in its place ended soon after their start, one after another, before this one. */
  before: number;
  /** How many other workers serve. */
  serving: number;
}

/** What to do about it: to start another one after a pause, or to give up. `inARow` is `before` of the next one. */
export type Remedy = { kind: 'restart'; pauseMs: number; inARow: number } | { kind: 'give-up' };

/**
 * The first one is replaced at once, those that end soon after their start again and again after growing pauses. As long as
 * others serve it is never given up.
 */
export function remedyFor({ livedMs, before, serving }: Ending): Remedy {
  const inARow = livedMs < SETTLED_MS ? before + 1 : 0;
  if (inARow > MOST_IN_A_ROW && serving === 0) return { kind: 'give-up' };
  const pauseMs = inARow <= 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 2), LONGEST_PAUSE_MS);
  return { kind: 'restart', pauseMs, inARow };
}
