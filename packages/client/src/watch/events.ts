import type { CreatedDeployment } from '@berth/contract';
import type { DeployEvent } from '../deploy/events.ts';
import type { ClientError } from '../errors.ts';

/** Why a folder is not published. The live deployment stays. */
export type MissingReason =
  /** The folder does not exist. */
  | 'gone'
  /** It contains no file that can be published. */
  | 'empty'
  /** The live deployment has an `index.html` at its root, but the folder no longer has one. */
  | 'no-front-page';

/** The events of a watch and of its deploys, in order. */
export type WatchEvent =
  | DeployEvent
  /** Change notifications are active; the first scan follows. `domain` is `null` if each deploy has a link of its own. */
  | { type: 'watching'; folder: string; domain: string | null }
  /** The folder changed, and the watch waits until it is settled. Emitted once, however many changes follow. */
  | { type: 'settling' }
  /** The settled folder is live at `url`: the address of the domain or, without a domain, of the deployment. */
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** The folder is settled, and is the same as what is live. */
  | { type: 'unchanged' }
  /** There has been nothing to publish for a while. The live deployment stays, and the watch continues. */
  | { type: 'missing'; reason: MissingReason }
  /** Publishing failed. It is retried after `waitMs` with the folder as it is then; `null`: when the folder changes. */
  | { type: 'failed'; error: ClientError; waitMs: number | null }
  /** Old deployments of this watch were deleted. */
  | { type: 'pruned'; deployments: readonly string[] }
  /** The system does not report changes, or no longer does. The folder is scanned periodically instead. */
  | { type: 'polling'; everyMs: number; reason: string };
