/** The door of the package: the typed client and the deploy engine. */
export { type BerthClient, type ClientOptions, createClient } from './client.ts';
export { ClientError, type ClientErrorKind, type ClientErrorOptions } from './errors.ts';
export { DEFAULT_RETRIES, type RetryPolicy } from './retry.ts';
export { defaultCacheDir } from './folder/cache-files.ts';
export type * from './folder/events.ts';
export type * from './folder/snapshot.ts';
export { type ReadFolder, readFolder, type ReadFolderOptions } from './folder/read-folder.ts';
export type * from './deploy/events.ts';
export type * from './deploy/input.ts';
export { deployFiles } from './deploy/deploy-files.ts';
export { deployFolder } from './deploy/deploy-folder.ts';
export { type FolderPlan, planFolder } from './deploy/plan-folder.ts';
export type { MissingReason, WatchEvent } from './watch/events.ts';
export type { WatchFolderInput, WatchOptions } from './watch/input.ts';
export { WATCH_RULE, type WatchRule } from './watch/rule.ts';
export { watchFolder } from './watch/watch-folder.ts';
