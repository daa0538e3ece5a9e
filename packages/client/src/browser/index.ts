/** The entry of the package for pages: the typed client, and publishing from files and directory handles. */
export type { ApiRouter } from '@berth/contract';
export { type BerthClient, type ClientOptions, createClient, parseWebAddress } from '../client.ts';
export type { Changes, RetriedEvent } from '../deploy/events.ts';
export { requireWholeName } from '../deploy/domain-name.ts';
export { CANCELLED, type Publication } from '../deploy/input.ts';
export {
  abortedError,
  ClientError,
  type ClientErrorKind,
  type ClientErrorOptions,
  errorText,
  issuesOf,
} from '../errors.ts';
export { followActivities, type FollowOptions } from '../follow-activities.ts';
export type { Amount, SkippedFile, SkipReason } from '../folder/snapshot.ts';
export { DEFAULT_RETRIES, type RetryPolicy } from '../retry.ts';
export {
  type BrowserDeployOptions,
  deployDirectory,
  type DeployDirectoryInput,
  deployFiles,
  type DeployFilesInput,
  type DeployEvent,
} from './deploy.ts';
export type { DirectoryHandle, FileInput } from './list-files.ts';
