import { ClientError } from '@berth/client';
import { CreatedDeployment } from '@berth/contract';
import { z } from 'zod';
import { Problem } from '../../shared/problem.ts';
import { LeftOut } from '../../shared/progress.ts';
import { Id, Published, PublishOptions } from '../../shared/publishing.ts';

/** The stored state of a publishing, without progress: after a restart, an unfinished one resumes from what is uploaded. */
export const StoredState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking') }),
  /** Queued or running. `deployment`: it is live already, and only its domain must be linked and the result be shown. */
  z.object({ is: z.literal('unfinished'), deployment: CreatedDeployment.optional() }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem, at: z.number() }),
  z.object({ is: z.literal('cancelled') }),
]);
export type StoredState = z.infer<typeof StoredState>;

/** A stored publishing. */
export const Entry = z.object({
  id: Id,
  name: z.string(),
  /** Unix milliseconds. */
  begun: z.number(),
  /** The origin of the server that was current when the publishing began. */
  server: z.url(),
  /** True if the user was signed out when it began. The deployment stays anonymous until it is claimed. */
  anonymous: z.boolean(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('folder'), path: z.string() }),
    /** Files are copied before they are published. `staged`: the copy is complete. */
    z.object({ kind: z.literal('files'), paths: z.array(z.string()).min(1), staged: z.boolean() }),
  ]),
  /** Passwords are kept only in memory. */
  options: PublishOptions.omit({ password: true }),
  password: z.boolean(),
  /** The user was asked and has confirmed. */
  sure: z.boolean(),
  /** It was pasted, so the user must confirm. */
  pasted: z.boolean().optional(),
  state: StoredState,
  leftOut: z.array(LeftOut),
});
export type Entry = z.infer<typeof Entry>;
export type Source = Entry['source'];

/** The content of `publishings.json`, newest first. */
export const StoredPublishings = z.object({ version: z.literal(1), publishings: z.array(Entry) });
export type StoredPublishings = z.infer<typeof StoredPublishings>;

/** The max number of stored publishings. */
export const MAX_KEPT = 100;

/** The error of an interrupted publishing whose password is lost, because passwords are kept only in memory. */
export function passwordLost(): ClientError {
  return new ClientError('refused', 'Publishing was interrupted, and its password is not stored. Drop it again.');
}

/** The live deployment of an unfinished entry; `null` if the entry is not known to have one. */
export function liveOf({ state }: Pick<Entry, 'state'>): CreatedDeployment | null {
  return (state.is === 'unfinished' ? state.deployment : null) ?? null;
}

/** The same source after its copy was removed. */
export function withoutCopy(source: Source): Source {
  return source.kind === 'files' ? { ...source, staged: false } : source;
}

/** True while it waits for the user, is queued or runs. */
export function isOpen({ state }: Pick<Entry, 'state'>): boolean {
  return state.is === 'asking' || state.is === 'unfinished';
}

/**
 * Removes the oldest entries if there are too many. Keeps unfinished entries. Removes claimable ones last, because the server
 * sends a claim link only once. Pure.
 *
 * @param entries Newest first. @param nowMs In Unix milliseconds.
 */
export function withoutOldest(entries: readonly Entry[], nowMs: number): Entry[] {
  const surplus = entries.length - MAX_KEPT;
  if (surplus <= 0) return [...entries];
  const ended = entries.filter((entry) => !isOpen(entry)).toReversed();
  const { plain = [], claimable = [] } = Object.groupBy(ended, (one) =>
    isClaimable(one, nowMs) ? 'claimable' : 'plain',
  );
  const gone = new Set([...plain, ...claimable].slice(0, surplus));
  return entries.filter((entry) => !gone.has(entry));
}

/** Removes the claim link of a deployment that has expired. */
export function withoutOldClaim(published: Published, nowMs: number): Published {
  const isGone = published.expires !== null && published.expires * 1_000 <= nowMs;
  return isGone && published.claim !== null ? { ...published, claim: null } : published;
}

function isClaimable({ state }: Entry, nowMs: number): boolean {
  return state.is === 'published' && withoutOldClaim(state.published, nowMs).claim !== null;
}
