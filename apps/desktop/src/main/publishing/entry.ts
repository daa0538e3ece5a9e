import { ClientError } from '@berth/client';
import { CreatedDeployment } from '@berth/contract';
import { z } from 'zod';
import { Problem } from '../../shared/problem.ts';
import { SkippedFileGroup } from '../../shared/progress.ts';
import { Id, Published, PublishOptions } from '../../shared/publishing.ts';
import { BuildRun } from '../projects/run-build.ts';

/** The stored state of a publish job. Progress is not stored, because an unfinished job resumes from the server's state. */
export const StoredState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking') }),
  /** Queued or running. A live deployment is stored in `deployment`; then only its domain must still be read. */
  z.object({ is: z.literal('unfinished'), deployment: CreatedDeployment.optional() }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem, at: z.number() }),
  z.object({ is: z.literal('cancelled') }),
]);
export type StoredState = z.infer<typeof StoredState>;

/** A stored publish job. */
export const Entry = z.object({
  id: Id,
  name: z.string(),
  /** The time when the publish job began, in Unix milliseconds. */
  begun: z.number(),
  /** The origin of the server that was current when the publish job began. */
  server: z.url(),
  /** True if the user was signed out when the publish job began. The deployment stays anonymous until it is claimed. */
  anonymous: z.boolean(),
  source: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('folder'),
      path: z.string(),
      /** The build that writes the folder, which the user has approved. */
      build: BuildRun.optional(),
    }),
    /** Files are copied before they are published. `staged` is true if the copy is complete. */
    z.object({ kind: z.literal('files'), paths: z.array(z.string()).min(1), staged: z.boolean() }),
  ]),
  /** The options without the password. Passwords are kept only in memory. */
  options: PublishOptions.omit({ password: true }),
  password: z.boolean(),
  /** True if the user has confirmed the publish job. */
  sure: z.boolean(),
  /** True if the item was pasted, so that the user must confirm. */
  pasted: z.boolean().optional(),
  /** True if the site is to be claimed once the user has signed in. */
  keep: z.boolean().optional(),
  /** True once the user was notified that the site expires soon. */
  reminded: z.boolean().optional(),
  state: StoredState,
  leftOut: z.array(SkippedFileGroup),
});
export type Entry = z.infer<typeof Entry>;
export type Source = Entry['source'];

/** The schema of `publishings.json`. The newest publish job comes first. */
export const StoredPublishings = z.object({ version: z.literal(1), publishings: z.array(Entry) });
export type StoredPublishings = z.infer<typeof StoredPublishings>;

/** The maximum number of stored publish jobs. */
export const MAX_KEPT = 100;

/** The error of an interrupted publish job whose password is lost, because passwords are kept only in memory. */
export function passwordLost(): ClientError {
  return new ClientError('refused', 'Publishing was interrupted, and the password is not stored. Drop the item again.');
}

/** The live deployment of an unfinished entry; `null` if the entry is not known to have one. */
export function liveOf({ state }: Pick<Entry, 'state'>): CreatedDeployment | null {
  return (state.is === 'unfinished' ? state.deployment : null) ?? null;
}

/** True while a publish job waits for the user, is queued or runs. */
export function isOpen({ state }: Pick<Entry, 'state'>): boolean {
  return state.is === 'asking' || state.is === 'unfinished';
}

/**
 * Removes the oldest entries if there are too many. Keeps unfinished entries. Removes claimable entries last, because the server
 * sends a claim link only once.
 *
 * @param entries Newest first. @param nowMs In Unix milliseconds.
 */
export function withoutOldest(entries: readonly Entry[], nowMs: number): Entry[] {
  const surplusCount = Math.max(0, entries.length - MAX_KEPT);
  const isClaimable = ({ state }: Entry) =>
    state.is === 'published' && withoutOldClaim(state.published, nowMs).claim !== null;
  const endedEntries = entries.filter((entry) => !isOpen(entry)).toReversed();
  const removable = endedEntries.toSorted((a, b) => Number(isClaimable(a)) - Number(isClaimable(b)));
  const removedEntries = new Set(removable.slice(0, surplusCount));
  return entries.filter((entry) => !removedEntries.has(entry));
}

/** Removes the claim link of a deployment that has expired. */
export function withoutOldClaim(published: Published, nowMs: number): Published {
  const isExpired = published.expires !== null && published.expires * 1_000 <= nowMs;
  return isExpired && published.claim !== null ? { ...published, claim: null } : published;
}
