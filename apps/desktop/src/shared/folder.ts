import { z } from 'zod';
import { Problem } from './problem.ts';
import { SkippedFileGroup, Progress } from './progress.ts';
import { BuildOutput, Id } from './publishing.ts';

/** The live version of a watched folder. */
export const LiveVersion = z.object({
  deployment: z.string(),
  files: z.int(),
  bytes: z.number(),
  /** The time of publishing, in Unix milliseconds. */
  at: z.number(),
});
export type LiveVersion = z.infer<typeof LiveVersion>;

/** Why a folder is paused. */
export const PauseReason = z.enum([
  'asked',
  /** The user made an older version live. The next build must not replace this version. */
  'earlier-version',
  /** The user deleted the folder's domain, or pointed it at another deployment. The next build must not undo this change. */
  'address-changed',
]);
export type PauseReason = z.infer<typeof PauseReason>;

/** The state of a watched folder, as the folder's card, the tray and screen readers present it. */
export const FolderState = z.discriminatedUnion('is', [
  /** The first scan since the app started is running. */
  z.object({ is: z.literal('starting') }),
  /** The folder has changed and has not settled yet. */
  z.object({ is: z.literal('settling') }),
  /** The build of the project runs. Its output is in `build`. */
  z.object({ is: z.literal('building') }),
  z.object({ is: z.literal('publishing'), progress: Progress }),
  /** The live version equals the folder. */
  z.object({ is: z.literal('live') }),
  /** A deploy failed and will be retried. */
  z.object({
    is: z.literal('waiting'),
    problem: Problem,
    /** The time of the retry, in Unix milliseconds. */
    until: z.number(),
  }),
  /** A deploy failed and will be retried when the folder changes or the user retries. */
  z.object({ is: z.literal('failed'), problem: Problem }),
  /** The folder is missing or has nothing to publish. The live version does not change. */
  z.object({ is: z.literal('missing'), reason: z.enum(['gone', 'empty', 'no-front-page']) }),
  z.object({ is: z.literal('paused'), why: PauseReason }),
  /** The user is not signed in to the folder's server. */
  z.object({ is: z.literal('signed-out') }),
]);
export type FolderState = z.infer<typeof FolderState>;

/** A folder that is published each time it changes, always at the same address. */
export const WatchedFolder = z.object({
  id: Id,
  name: z.string(),
  /** The path, which is only displayed: no command takes a path. */
  path: z.string(),
  /** The origin of the server. */
  server: z.url(),
  /** The domain that the user chose: a full name, or only the first label for a name below the platform domain. */
  domain: z.string(),
  /** The address of the site; `null` before the first deploy. */
  url: z.url().nullable(),
  labels: z.array(z.string()),
  password: z.boolean(),
  state: FolderState,
  live: LiveVersion.nullable(),
  leftOut: z.array(SkippedFileGroup),
  /** The command that the app runs when the folder changes, and its last output; `null` if the folder itself is published. */
  build: BuildOutput.nullable(),
  /** How often and why the folder is polled; `null` while the system reports the folder's changes. */
  polling: z.object({ everyMs: z.number(), reason: z.string() }).nullable(),
  /** True while the folder's custom domain is not served because its DNS records are missing. */
  needsDns: z.boolean(),
});
export type WatchedFolder = z.infer<typeof WatchedFolder>;

/** A version of a watched folder that the server still has. */
export const Version = z.object({
  deployment: z.string(),
  url: z.url(),
  /** The time of publishing, in Unix seconds. */
  created: z.number(),
  files: z.int(),
  bytes: z.number(),
  /** True if the folder's address shows this version. */
  live: z.boolean(),
});
export type Version = z.infer<typeof Version>;
