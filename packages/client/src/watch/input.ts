import type { DeployFolderInput, DeployOptions } from '../deploy/input.ts';
import type { WatchRule } from './rule.ts';

/** What is watched, and how it is published. A watch needs an API key. */
export interface WatchFolderInput extends Omit<DeployFolderInput, 'ttl'> {
  /**
   * The domain that each deployment is linked to: its whole name, or, below the platform domain, its first part. It is made at
   * the first deploy when the account lacks it. Default: none, and each deployment has a link of its own.
   */
  domain?: string | undefined;
  /**
   * Names the series that its deployments belong to: they are the versions of one site, and the old ones of them are deleted.
   * Give it a name that no other watch of the account has, where the folder may be moved or get another domain and its versions
   * are to stay together. Default: a series for each folder of each machine and each domain.
   */
  series?: string | undefined;
  /**
   * How many deployments of its series stay, the live one among them. At least 1. A function is asked after each deploy.
   * Default: 10.
   */
  keep?: number | (() => number) | undefined;
}

export interface WatchOptions extends Omit<DeployOptions, 'retries' | 'onCommitted'> {
  /**
   * Ends the watch, which then returns. A deploy at hand is given up: either what was live stays, or it is live as a whole.
   * Default: the watch ends when nobody asks for its events any more.
   */
  signal?: AbortSignal | undefined;
  /**
   * Where others can make it look at once: an event `look` when changes may have been missed or the network is back, which
   * is answered only when something follows from it; an event `publish` when somebody asks for it, which is always answered.
   */
  nudges?: EventTarget | undefined;
  /** Other times than those of the watch rule. */
  rule?: Partial<WatchRule> | undefined;
}
