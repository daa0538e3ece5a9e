import type { DeployFolderInput, DeployOptions } from '../deploy/input.ts';
import type { FolderDisk } from '../folder/disk.ts';
import type { Watcher, WatcherEvents } from './watcher.ts';

/** The folder to watch, and how to publish it. A watch needs a key. */
export interface WatchFolderInput extends Omit<DeployFolderInput, 'ttl' | 'keep'> {
  /**
   * The domain to which each deployment is linked: its full name or, below the platform domain, its first label. The first
   * deploy creates the domain if necessary. Default: none; each deployment has a different link.
   */
  domain?: string | undefined;
  /**
   * The name of the series of deployments, which must be unique among the watches of the account. Set a name to keep the
   * versions together if the folder moves or gets another domain. Default: one series per machine, folder and domain.
   */
  series?: string | undefined;
  /** How many deployments of the series to keep: at least 1. A function is called after each deploy. Default: 10. */
  keep?: number | (() => number) | undefined;
}

export interface WatchOptions extends Omit<DeployOptions, 'retries' | 'onCommitted'> {
  /** Ends the watch, and aborts a running deploy. Default: the watch ends when its iterator is closed. */
  signal?: AbortSignal | undefined;
  /**
   * Sends requests to the watch. The event `look` requests a scan, for example because the network is back. The event `publish`
   * requests a publish, and the watch always emits an event with the result.
   */
  nudges?: EventTarget | undefined;
  /** Reads the folder. Default: the calling thread does. */
  disk?: FolderDisk | undefined;
  /** What writes the folder, such as the build of a project. Default: the folder itself is watched. */
  source?: WatchSource | undefined;
  /** Replaces times of {@link WATCH_RULE}. */
  rule?: Partial<WatchRule> | undefined;
}

/** What writes a watched folder. It reports changes, and says when the folder is complete. */
export interface WatchSource {
  /** Starts to report changes of the folder. Called again if a scan finds a change that was not reported. */
  watch(events: WatcherEvents, signal: AbortSignal): Promise<Watcher>;
  /** Resolves when the folder may be scanned. @throws ClientError if the folder must not be published in its present state. */
  ready(signal: AbortSignal): Promise<void>;
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
  /** How often to scan on systems that do not report changes. */
  pollEveryMs: number;
  /** The pause after the first failure. Each later pause is twice as long. */
  firstPauseMs: number;
  /** The maximum pause. `Retry-After` of the server can make a pause longer, up to a day. */
  longestPauseMs: number;
}

/** The default timing of a watch. Source: watching D2, D3, D6, D7, D8. */
export const WATCH_RULE: WatchRule = {
  quietMs: 500,
  longestMs: 10_000,
  graceMs: 10_000,
  lookEveryMs: 60_000,
  pollEveryMs: 2_000,
  firstPauseMs: 1_000,
  longestPauseMs: 5 * 60_000,
};
