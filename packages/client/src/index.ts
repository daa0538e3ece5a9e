/** The public entry of the package: the typed client and the deploy engine. */
export type { ApiRouter } from '@berth/contract';
export { followActivities, type FollowOptions } from './follow-activities.ts';
export { type BerthClient, type ClientOptions, createClient, parseWebAddress } from './client.ts';
export { type DeviceFlowOptions, type DevicePrompt, requestKey } from './device-flow.ts';
export {
  abortedError,
  ClientError,
  type ClientErrorKind,
  type ClientErrorOptions,
  errorText,
  issuesOf,
} from './errors.ts';
export { backoffMs, DEFAULT_RETRIES, retryAfterMs, type RetryPolicy } from './retry.ts';
export { defaultCacheDir } from './folder/cache-files.ts';
export type { FolderDisk } from './folder/disk.ts';
export { onDriveWithin } from './folder/drive.ts';
export { readSmallContents, type SmallFile } from './folder/small-contents.ts';
export type { FolderDoubt } from './folder/folder-doubt.ts';
export { inspectFolder, isAppWithoutRoutes } from './folder/inspect-folder.ts';
export type * from './folder/snapshot.ts';
export { findFilesOfPage } from './folder/inspect-page.ts';
export { isHtmlFile, type ReadFolder, readFolder, type ReadFolderOptions } from './folder/read-folder.ts';
export type * from './deploy/events.ts';
export type * from './deploy/input.ts';
export { CANCELLED } from './deploy/input.ts';
export { findWholeName, refuseUnusableDomain, validateDomain, wholeDomainName } from './deploy/domain-name.ts';
export { deployArchive } from './deploy/archive.ts';
export { deployFiles, deployFolder } from './deploy/deploy.ts';
export { findLastDeploymentId, type FolderPlan, planFolder } from './deploy/changes.ts';
export type { MissingReason, WatchEvent } from './watch/events.ts';
export {
  WATCH_RULE,
  type WatchFolderInput,
  type WatchOptions,
  type WatchRule,
  type WatchSource,
} from './watch/input.ts';
export { listVersions } from './watch/versions.ts';
export { watchFolder } from './watch/watch-folder.ts';
export type { Watcher, WatcherEvents } from './watch/watcher.ts';
