import type { CreatedDeployment, Domain } from '@berth/contract';
import type { Amount, FolderEvent } from '../folder/events.ts';
import type { Retry } from '../retry.ts';

/** The difference between a folder and its last deployment. If there was none, all files count as added. Paths are sorted. */
export interface Changes {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
  unchanged: number;
}

/** An attempt failed. It is retried after a pause. */
export interface RetriedEvent extends Retry {
  type: 'retried';
}

/**
 * The events of a deploy, in order. `hashed` and `uploaded` report progress. They come several times; the last time, `done`
 * equals `total`.
 */
export type DeployEvent =
  | FolderEvent
  /** It is known which contents must be sent, and how (`via`). */
  | { type: 'planned'; via: 'delta' | 'multipart'; changes: Changes; missing: Amount }
  /** Progress in sending the missing contents. `sentBytes` counts all bytes of request bodies so far. */
  | { type: 'uploaded'; done: Amount; total: Amount; sentBytes: number }
  | RetriedEvent
  /** The deployment is live. */
  | { type: 'committed'; deployment: CreatedDeployment }
  /** The domain points at the deployment. */
  | { type: 'linked'; domain: Domain };
