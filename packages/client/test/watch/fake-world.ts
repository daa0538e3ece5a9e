import type { CreatedDeployment } from '@berth/contract';
import { ClientError, type ClientErrorKind, type ClientErrorOptions } from '../../src/errors.ts';
import { decide, wakeAt } from '../../src/watch/decide.ts';
import { WATCH_RULE } from '../../src/watch/rule.ts';
import { beginWatch, type Effect, type Happening, type Live, type Look } from '../../src/watch/state.ts';

/**
 * What lies in a folder: two files by the build they are of, or nothing. A `-` at the end of the first one stands for a build
 * without a front page.
 */
export type Folder = readonly [first: string, second: string] | 'empty' | 'gone';

/** A folder and a server, where time passes only when it is told to. */
export interface FakeWorld {
  /** What the folder is, from a moment on, in milliseconds. */
  folder: readonly (readonly [at: number, folder: Folder])[];
  /** When the system tells of a change. Default: with each change of the folder after the first. */
  heard?: readonly number[];
  deafAt?: number;
  /** When it is asked to look: with an answer for who asked, or not. */
  nudged?: readonly (readonly [at: number, asked: boolean])[];
  live?: Omit<Live, 'sure'>;
  /** How long a look takes: the first file is read when it begins, the second one when it ends. */
  lookMs?: number;
  publishMs?: number;
  /** How a deploy that ends at a moment fails; `null` when it does not. */
  fault?: (at: number) => [ClientErrorKind, ClientErrorOptions?] | null;
  /** The same for looks. */
  lookFault?: (at: number) => ClientErrorKind | null;
  /** The state that the first deploy finds to be live already. */
  found?: string;
}

/** What was done or told, and when. */
export interface Entry {
  at: number;
  did: string;
}

/** Lets a watch run in a world. @param untilMs The last moment. */
export function play(world: FakeWorld, untilMs: number): Entry[] {
  const { lookMs = 10, publishMs = 100, fault = () => null, lookFault = () => null } = world;
  const log: Entry[] = [];
  const coming: { at: number; give: (at: number) => Happening }[] = [];
  const heard = world.heard ?? world.folder.slice(1).map(([at]) => at);
  for (const at of heard) coming.push({ at, give: () => ({ type: 'changed' }) });
  for (const [at, asked] of world.nudged ?? []) coming.push({ at, give: () => ({ type: 'nudged', asked }) });
  if (world.deafAt !== undefined)
    coming.push({ at: world.deafAt, give: () => ({ type: 'deafened', error: new Error('no more watches') }) });

  let found: Look | null = null;
  let state = beginWatch(world.live ?? null, 0);

  const start = (effect: Effect, began: number): void => {
    log.push({ at: began, did: nameOf(effect, found) });
    if (effect.do === 'look')
      coming.push({
        at: began + lookMs,
        give(at) {
          const kind = lookFault(at);
          if (kind !== null) return { type: 'failed', error: new ClientError(kind, kind) };
          found = lookAt(folderAt(world, began), folderAt(world, at));
          return { type: 'looked', look: found };
        },
      });
    if (effect.do === 'publish') {
      const { id } = found!;
      coming.push({
        at: began + publishMs,
        give(at) {
          const failure = fault(at);
          if (failure) return { type: 'failed', error: new ClientError(failure[0], failure[0], failure[1]) };
          if (world.found === id) return { type: 'found' };
          return { type: 'published', deployment: { deployment: id } as CreatedDeployment, url: id };
        },
      });
    }
  };
  const take = (happening: Happening, at: number): void => {
    const { state: next, effects } = decide(state, happening, at, WATCH_RULE);
    state = next;
    for (const effect of effects) start(effect, at);
  };

  take({ type: 'woken' }, 0);
  for (;;) {
    const wake = wakeAt(state, WATCH_RULE);
    const first = coming.toSorted((a, b) => a.at - b.at)[0];
    const at = Math.min(wake, first?.at ?? Number.POSITIVE_INFINITY);
    if (at > untilMs) return log;
    if (first && first.at <= wake) {
      coming.splice(coming.indexOf(first), 1);
      take(first.give(at), at);
    } else take({ type: 'woken' }, at);
  }
}

/** What the folder of a world is at a moment. */
export function folderAt({ folder }: FakeWorld, at: number): Folder {
  return folder.findLast(([since]) => since <= at)![1];
}

/** What a look finds that begins with one state and ends with another. */
export function lookAt(first: Folder, last: Folder): Look {
  const nothing = [first, last].find((folder) => typeof folder === 'string');
  if (typeof nothing === 'string') return { found: nothing, id: nothing, frontPage: false };
  const [one, other] = [first[0]!, last[1]!];
  return { found: 'files', id: `${one}+${other}`, frontPage: !one.endsWith('-') };
}

function nameOf(effect: Effect, found: Look | null): string {
  switch (effect.do) {
    case 'look':
    case 'listen':
      return effect.do;
    case 'publish':
      return `publish ${found!.id}`;
    case 'tell': {
      const { event } = effect;
      if (event.type === 'missing') return `missing ${event.reason}`;
      if (event.type === 'failed') return `failed ${event.error.kind} ${event.waitMs}`;
      if (event.type === 'published') return `published ${event.url}`;
      return event.type;
    }
    default:
      return effect satisfies never;
  }
}
