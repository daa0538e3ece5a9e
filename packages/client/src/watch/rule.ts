/** The timing of a watch, in milliseconds. */
export interface WatchRule {
  /** How long the folder must not change before it counts as settled. */
  quietMs: number;
  /** The maximum time after the first change before the folder is scanned, even if it still changes. */
  longestMs: number;
  /** How long to wait silently while the folder cannot be published. */
  graceMs: number;
  /** How often to scan without change notifications. */
  lookEveryMs: number;
  /** The same on systems that do not report changes. */
  pollEveryMs: number;
  /** The pause after the first failure; each later pause is twice as long. */
  firstPauseMs: number;
  /** The longest pause, unless the server asks for a longer one of up to a day. */
  longestPauseMs: number;
}

/** Source: watching D2, D3, D6, D7, D8. */
export const WATCH_RULE: WatchRule = {
  quietMs: 500,
  longestMs: 10_000,
  graceMs: 10_000,
  lookEveryMs: 60_000,
  pollEveryMs: 2_000,
  firstPauseMs: 1_000,
  longestPauseMs: 5 * 60_000,
};
