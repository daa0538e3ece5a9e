/** The times of a watch, in milliseconds. */
export interface WatchRule {
  /** How long nothing may change before the folder counts as settled. */
  quietMs: number;
  /** From then on, after the first change, the folder is looked at even though changes go on. */
  longestMs: number;
  /** How long a folder that cannot be published is waited for in silence. */
  graceMs: number;
  /** How often the folder is looked at although nothing was heard. */
  lookEveryMs: number;
  /** The same, where the system does not tell of changes. */
  pollEveryMs: number;
  /** The first pause after a failure; each further one is twice as long. */
  firstPauseMs: number;
  /** No pause is longer, unless the server asks for it: for at most a day. */
  longestPauseMs: number;
}

/** Source: the watch rule, D2, D3, D6, D7, D8. */
export const WATCH_RULE: WatchRule = {
  quietMs: 500,
  longestMs: 10_000,
  graceMs: 10_000,
  lookEveryMs: 60_000,
  pollEveryMs: 2_000,
  firstPauseMs: 1_000,
  longestPauseMs: 5 * 60_000,
};
