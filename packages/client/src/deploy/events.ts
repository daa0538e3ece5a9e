import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Amount, FolderEvent } from '../folder/snapshot.ts';
import type { Retry } from '../retry.ts';

/** The difference between a folder and its last deployment, by sorted paths. On a first deploy, all files count as added. */
export interface Changes {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  /** The number of unchanged files. */
  unchanged: number;
}

/** A request failed temporarily, and is retried after a pause. */
export interface RetriedEvent extends Retry {
  type: 'retried';
}

/**
 * The events of a deploy, in order. `hashed` and `uploaded` report progress and are emitted several times; in the last event of
 * each, `done` equals `total`.
 */
export type DeployEvent =
  | FolderEvent
  /**
   * The deploy has determined which contents it must send, and by which kind of request (`via`). An archive counts as one missing
   * file, of 0 bytes if the size of a stream is unknown, and has no known changes.
   */
  | { type: 'planned'; via: 'delta' | 'multipart' | 'archive'; changes: Changes; missing: Amount }
  /**
   * Progress in sending the missing contents. `sentBytes` counts all bytes of request bodies, including retries. While a stream of
   * unknown size is sent, `done` exceeds `total`.
   */
  | { type: 'uploaded'; done: Amount; total: Amount; sentBytes: number }
  | RetriedEvent
  /** The deployment is live. */
  | { type: 'committed'; deployment: CreatedDeployment }
  /** The domain points at the deployment. Emitted after `committed`, if the server still answers. */
  | { type: 'linked'; domain: Domain };
