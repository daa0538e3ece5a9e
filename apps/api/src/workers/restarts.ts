const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A worker that lived this long did not fail at its start. */
const SETTLED_MS = 10_000;
const MAX_EARLY_EXITS = 5;

/** The facts about a worker that has ended. */
export interface WorkerExit {
  /** How long it lived. */
  livedMs: number;
  /** How many of its predecessors, without a gap, ended soon after their start. */
  earlierExits: number;
  /** How many other workers are serving. */
  serving: number;
}

/** The reaction: start another worker after a pause, or give up. Pass `earlyExits` as `earlierExits` when that worker ends. */
export type RestartDecision = { kind: 'restart'; pauseMs: number; earlyExits: number } | { kind: 'give-up' };

/**
 * Decides how to react to the end of a worker. The first one is replaced at once. Workers that end soon after their start are
 * replaced after growing pauses. Never gives up while other workers are serving.
 */
export function decideRestart({ livedMs, earlierExits, serving }: WorkerExit): RestartDecision {
  const earlyExits = livedMs < SETTLED_MS ? earlierExits + 1 : 0;
  if (earlyExits > MAX_EARLY_EXITS && serving === 0) return { kind: 'give-up' };
  const pauseMs = earlyExits <= 1 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (earlyExits - 2), MAX_PAUSE_MS);
  return { kind: 'restart', pauseMs, earlyExits };
}
