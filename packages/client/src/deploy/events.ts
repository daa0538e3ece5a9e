import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Amount, FolderEvent } from '../folder/events.ts';

/** How a folder differs from what was published of it before, or from nothing. Paths, in order. */
export interface Changes {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  unchanged: number;
}

/** Something went wrong and is tried again after a pause. */
export interface RetriedEvent {
  type: 'retried';
  /** From 1. */
  attempt: number;
  waitMs: number;
  reason: string;
}

/**
 * What has happened, in the order in which it happens. `hashed` and `uploaded` tell of progress and come several times, the
 * last time with `done` equal to `total`.
 */
export type DeployEvent =
  | FolderEvent
  /** The server said what it wants. `via` tells how it is sent. */
  | { type: 'planned'; via: 'delta' | 'multipart'; changes: Changes; missing: Amount }
  /** So much of what is missing was sent; `sentBytes` are all bytes of bodies so far. */
  | { type: 'uploaded'; done: Amount; total: Amount; sentBytes: number }
  | RetriedEvent
  /** It is live. */
  | { type: 'committed'; deployment: CreatedDeployment }
  /** The domain shows it. */
  | { type: 'linked'; domain: Domain };
