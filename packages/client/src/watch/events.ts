import type { CreatedDeployment } from '@berth/contract';
import type { DeployEvent } from '../deploy/events.ts';
import type { ClientError } from '../errors.ts';

/** Why a folder is not published, and what is live stays. */
export type MissingReason =
  /** There is no folder at the path. */
  | 'gone'
  /** It holds no file that could be published. */
  | 'empty'
  /** What is live has an `index.html` at its root, the folder has none any more. */
  | 'no-front-page';

/** What a watch tells, in the order in which it happens: that of each deploy, and that of the watch itself. */
export type WatchEvent =
  | DeployEvent
  /** The folder is listened to; what it holds by now is looked at next. `domain` is `null` when each deploy has its own link. */
  | { type: 'watching'; folder: string; domain: string | null }
  /** The folder changed; it is waited for until it is quiet. Told once, however many changes follow. */
  | { type: 'settling' }
  /** What was settled is live at `url`: the address of the domain, or of the deployment when there is no domain. */
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** The folder is quiet again, and it is what is live already. */
  | { type: 'unchanged' }
  /** There is nothing to publish for a while now. What is live stays, and the watch goes on. */
  | { type: 'missing'; reason: MissingReason }
  /** It did not work. It is tried again after `waitMs`, with what the folder is then; `null`: when the folder changes. */
  | { type: 'failed'; error: ClientError; waitMs: number | null }
  /** Old deployments of this watch were deleted. */
  | { type: 'pruned'; deployments: readonly string[] }
  /** The system does not tell of changes (any more): the folder is looked at every so often instead. */
  | { type: 'polling'; everyMs: number; reason: string };
