import type { DeployFolderInput, DeployOptions } from '../deploy/input.ts';

/** The folder to watch, and how to publish it. A watch needs an API key. */
export interface WatchFolderInput extends Omit<DeployFolderInput, 'ttl'> {
  /**
   * The domain to which each deployment is linked: its full name or, below the platform domain, its first label. It is created with
   * the first deploy if the account does not have it. Default: none; each deployment has a link of its own.
   */
  domain?: string | undefined;
  /**
   * The name of the series that the deployments belong to: they are the versions of one site, and old ones are deleted. It must be
   * unique among the watches of the account. Set it if the folder may move or get another domain and its versions should stay
   * together. Default: one series per machine, folder and domain.
   */
  series?: string | undefined;
  /**
   * How many deployments of the series to keep, including the live one. At least 1. A function is called after each deploy.
   * Default: 10.
   */
  keep?: number | (() => number) | undefined;
}

export interface WatchOptions extends Omit<DeployOptions, 'retries' | 'onCommitted'> {
  /**
   * Ends the watch, which then returns. Aborts a running deploy: afterwards either the old or the new deployment is live, as a
   * whole. Default: the watch ends when its iterator is closed.
   */
  signal?: AbortSignal | undefined;
  /**
   * Receives requests. The event `look` asks for a scan, because changes may have been missed or the network is back; the watch emits
   * something only if the scan has a result. The event `publish` asks for a publish, and the watch always emits an answer.
   */
  nudges?: EventTarget | undefined;
  /** Overrides times of {@link WATCH_RULE}. */
  rule?: Partial<WatchRule> | undefined;
}

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
