import { CreatedDeployment } from '@berth/contract';
import { z } from 'zod';
import { Problem } from '../../shared/problem.ts';
import { LeftOut } from '../../shared/progress.ts';
import { Id, Published, PublishOptions } from '../../shared/publishing.ts';

/** Where a publishing stands, as it is kept. Progress is not: after a restart, what is unfinished goes on from where it broke off. */
export const KeptState = z.discriminatedUnion('is', [
  z.object({ is: z.literal('asking') }),
  /** It waits for its turn, or is under way. `deployment`: it is live, and what is left is to say so, and to link its domain. */
  z.object({ is: z.literal('unfinished'), deployment: CreatedDeployment.optional() }),
  z.object({ is: z.literal('published'), published: Published }),
  z.object({ is: z.literal('failed'), problem: Problem, at: z.number() }),
  z.object({ is: z.literal('cancelled') }),
]);
export type KeptState = z.infer<typeof KeptState>;

/** One publishing, as it outlives the app. */
export const Entry = z.object({
  id: Id,
  name: z.string(),
  /** Unix milliseconds. */
  begun: z.number(),
  /** The origin of the server that was the current one when it began. */
  server: z.url(),
  /** Whether nobody was signed in there: it stays nobody's until it is claimed. */
  anonymous: z.boolean(),
  source: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('folder'), path: z.string() }),
    /** Files are copied before they are published. `staged`: the copy is there, whole. */
    z.object({ kind: z.literal('files'), paths: z.array(z.string()).min(1), staged: z.boolean() }),
  ]),
  /** A password is in memory alone. */
  options: PublishOptions.omit({ password: true }),
  password: z.boolean(),
  /** The user was asked about it, and wants it published. */
  sure: z.boolean(),
  /** It was pasted, and is asked about. */
  pasted: z.boolean().optional(),
  state: KeptState,
  leftOut: z.array(LeftOut),
});
export type Entry = z.infer<typeof Entry>;
export type Source = Entry['source'];

/** What `publishings.json` holds: the newest first. */
export const KeptPublishings = z.object({ version: z.literal(1), publishings: z.array(Entry) });
export type KeptPublishings = z.infer<typeof KeptPublishings>;

/** So many are kept. */
export const MOST_KEPT = 100;

/** What is live of an entry that is not at its end; `null` when nothing is, as far as is known. */
export function liveOf({ state }: Pick<Entry, 'state'>): CreatedDeployment | null {
  return (state.is === 'unfinished' ? state.deployment : null) ?? null;
}

/** A source of which there is no copy any more. */
export function withoutCopy(source: Source): Source {
  return source.kind === 'files' ? { ...source, staged: false } : source;
}

/** Whether it waits for somebody, or for its turn, or is under way. */
export function isOpen({ state }: Pick<Entry, 'state'>): boolean {
  return state.is === 'asking' || state.is === 'unfinished';
}

/**
 * The entries that stay when there are too many: what is not at its end stays, and a claim that is told only once stays longer
 * than what anybody can look up. Pure.
 *
 * @param entries The newest first. @param nowMs In Unix milliseconds.
 */
export function withoutOldest(entries: readonly Entry[], nowMs: number): Entry[] {
  const surplus = entries.length - MOST_KEPT;
  if (surplus <= 0) return [...entries];
  const ended = entries.filter((entry) => !isOpen(entry)).toReversed();
  const [precious, plain] = [
    ended.filter((one) => isClaimable(one, nowMs)),
    ended.filter((one) => !isClaimable(one, nowMs)),
  ];
  const gone = new Set([...plain, ...precious].slice(0, surplus));
  return entries.filter((entry) => !gone.has(entry));
}

/** What a publishing led to, without the claim of a deployment that is gone. */
export function withoutOldClaim(published: Published, nowMs: number): Published {
  const isGone = published.expires !== null && published.expires * 1_000 <= nowMs;
  return isGone && published.claim !== null ? { ...published, claim: null } : published;
}

function isClaimable({ state }: Entry, nowMs: number): boolean {
  return state.is === 'published' && withoutOldClaim(state.published, nowMs).claim !== null;
}
