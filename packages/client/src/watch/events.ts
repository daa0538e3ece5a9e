import type { CreatedDeployment } from '@berth/contract';
import type { DeployEvent } from '../deploy/events.ts';
import type { ClientError } from '../errors.ts';

/** The reason why a folder is not published. The live deployment stays. */
export type MissingReason =
  /** The folder does not exist. */
  | 'gone'
  /** The folder contains no file that can be published. */
  | 'empty'
  /** The live deployment has an `index.html` at its root, but the folder no longer has one. */
  | 'no-front-page';

/** The events of a watch and of its deploys, in order. */
export type WatchEvent =
  | DeployEvent
  /** The watch has started. `domain` is `null` if each deployment has a different link. */
  | { type: 'watching'; folder: string; domain: string | null }
  /** The folder changed, and the watch waits until the folder is settled. Further changes do not emit this event again. */
  | { type: 'settling' }
  /** The settled folder is live at `url`: the address of the domain or, without a domain, of the deployment. */
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** The folder is settled, and its files are already live. */
  | { type: 'unchanged' }
  /** There has been nothing to publish for a while. The watch continues. */
  | { type: 'missing'; reason: MissingReason }
  /**
   * Publishing, or deleting old deployments (`prune`), failed. The watch publishes again after `waitMs`; if `null`, when the
   * folder changes.
   */
  | { type: 'failed'; error: ClientError; waitMs: number | null; during: 'publish' | 'prune' }
  /** Old deployments of this watch were deleted. */
  | { type: 'pruned'; deployments: readonly string[] }
  /** The system does not report changes, so the folder is scanned periodically. */
  | { type: 'polling'; everyMs: number; reason: string };
