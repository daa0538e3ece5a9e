import { z } from 'zod';
import { Problem } from './problem.ts';
import { LeftOut, Progress } from './progress.ts';
import { Id } from './publishing.ts';

/** What is live of a watched folder. */
export const LiveVersion = z.object({
  deployment: z.string(),
  files: z.int(),
  bytes: z.number(),
  /** When it was published, in Unix milliseconds. */
  at: z.number(),
});
export type LiveVersion = z.infer<typeof LiveVersion>;

/** Why a folder is paused. */
export const PauseReason = z.enum([
  'asked',
  /** An older version was made live, which must not be replaced by the next build. */
  'earlier-version',
  /** Its address was made to show something else, or was deleted, under Domains: that must not be undone by the next build. */
  'address-changed',
]);
export type PauseReason = z.infer<typeof PauseReason>;

/** Where a watched folder stands. It is what the folder's card, the tray and a screen reader tell. */
export const FolderState = z.discriminatedUnion('is', [
  /** It is looked at for the first time since the app started. */
  z.object({ is: z.literal('starting') }),
  /** It changed; it is waited for until it is quiet. */
  z.object({ is: z.literal('settling') }),
  z.object({ is: z.literal('publishing'), progress: Progress }),
  /** What is in it is what is live. */
  z.object({ is: z.literal('live') }),
  /** It did not work for now, and is tried again. */
  z.object({
    is: z.literal('waiting'),
    problem: Problem,
    /** When, in Unix milliseconds. */
    until: z.number(),
  }),
  /** It did not work, and is tried again when the folder changes, or when it is asked for. */
  z.object({ is: z.literal('failed'), problem: Problem }),
  /** There is nothing in it that could be published. What was live stays. */
  z.object({ is: z.literal('missing'), reason: z.enum(['gone', 'empty', 'no-front-page']) }),
  z.object({ is: z.literal('paused'), why: PauseReason }),
  /** Nobody is signed in to its server. */
  z.object({ is: z.literal('signed-out') }),
]);
export type FolderState = z.infer<typeof FolderState>;

/** A folder that is published whenever it changes, always under the same address. */
export const WatchedFolder = z.object({
  id: Id,
  name: z.string(),
  /** For eyes alone: no command takes a path. */
  path: z.string(),
  /** The origin of the server. */
  server: z.url(),
  /** As it was chosen: a whole name, or the first part of one below the platform domain. */
  domain: z.string(),
  /** Where it is shown; `null` before the first deploy. */
  url: z.url().nullable(),
  labels: z.array(z.string()),
  password: z.boolean(),
  state: FolderState,
  live: LiveVersion.nullable(),
  leftOut: z.array(LeftOut),
  /** Why it is looked at every so often instead of being listened to; `null` while it is listened to. */
  polling: z.object({ everyMs: z.number(), reason: z.string() }).nullable(),
  /** Why its name is not served yet: a domain of one's own that lacks DNS records. */
  needsDns: z.boolean(),
});
export type WatchedFolder = z.infer<typeof WatchedFolder>;

/** A version of a watched folder that the server still has. */
export const Version = z.object({
  deployment: z.string(),
  url: z.url(),
  /** Unix seconds. */
  created: z.number(),
  files: z.int(),
  bytes: z.number(),
  /** Whether it is what the folder's address shows. */
  live: z.boolean(),
});
export type Version = z.infer<typeof Version>;
