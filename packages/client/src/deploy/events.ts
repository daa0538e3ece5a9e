import type { CreatedDeployment, Domain } from '@berth/contract';
import type { SkippedFile } from '../folder/snapshot.ts';

/** How much of something. */
export interface Amount {
  files: number;
  bytes: number;
}

/** How a folder differs from what was published of it before, or from nothing. Paths, in order. */
export interface Changes {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  unchanged: number;
}

/**
 * What has happened, in the order in which it happens. `hashed` and `uploaded` tell of progress and come several times, the
 * last time with `done` equal to `total`.
 */
export type DeployEvent =
  /** The folder was listed. */
  | { type: 'walked'; total: Amount; skipped: readonly SkippedFile[] }
  /** So much is hashed; `cached` of it is known from before and was not read. */
  | { type: 'hashed'; done: Amount; total: Amount; cached: Amount }
  /** The server said what it wants. `via` tells how it is sent. */
  | { type: 'planned'; via: 'delta' | 'multipart'; changes: Changes; missing: Amount }
  /** So much of what is missing was sent; `sentBytes` are all bytes of bodies so far. */
  | { type: 'uploaded'; done: Amount; total: Amount; sentBytes: number }
  /** Something went wrong and is tried again after a pause. */
  | { type: 'retried'; attempt: number; waitMs: number; reason: string }
  /** It is live. */
  | { type: 'committed'; deployment: CreatedDeployment }
  /** The domain shows it. */
  | { type: 'linked'; domain: Domain };
