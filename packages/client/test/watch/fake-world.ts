import type { CreatedDeployment } from '@berth/contract';
import { ClientError, type ClientErrorKind, type ClientErrorOptions } from '../../src/errors.ts';
import { decide, wakeAt } from '../../src/watch/decide.ts';
import { WATCH_RULE } from '../../src/watch/input.ts';
import { createWatchState, type Effect, type WatchInput, type Live, type Scan } from '../../src/watch/state.ts';

/**
 * The contents of a folder: two files, each named by the build it is from, or nothing. A `-` at the end of the first name means a
 * build without a front page.
 */
export type Folder = readonly [first: string, second: string] | 'empty' | 'gone';

/** A simulated folder and server with a virtual clock. */
export interface FakeWorld {
  /** Each change of the folder: its time in milliseconds, and the contents from then on. */
  folder: readonly (readonly [at: number, folder: Folder])[];
  /** When change notifications come. Default: with each change of the folder after the first. */
  notified?: readonly number[];
  watcherFailsAt?: number;
  /** When the watch is nudged, and whether an answer is wanted. */
  nudged?: readonly (readonly [at: number, wantsAnswer: boolean])[];
  live?: Omit<Live, 'confirmed'>;
  /** How long a scan takes. The first file is read at its start, the second one at its end. */
  scanMs?: number;
  publishMs?: number;
  /** The failure of a deploy that ends at a time; `null` if it succeeds. */
  fault?: (at: number) => [ClientErrorKind, ClientErrorOptions?] | null;
  /** The same for scans. */
  scanFault?: (at: number) => ClientErrorKind | null;
  /** The state that the first deploy finds to be already live. */
  found?: string;
}

/** An effect or event, and its time. */
export interface Entry {
  at: number;
  did: string;
}

/** Runs a watch in a simulated world. @param untilMs When to stop. */
export function simulate(world: FakeWorld, untilMs: number): Entry[] {
  const { scanMs = 10, publishMs = 100, fault = () => null, scanFault = () => null } = world;
  const log: Entry[] = [];
  const scheduled: { at: number; toInput: (at: number) => WatchInput }[] = [];
  const notified = world.notified ?? world.folder.slice(1).map(([at]) => at);
  for (const at of notified) scheduled.push({ at, toInput: () => ({ type: 'changed' }) });
  for (const [at, wantsAnswer] of world.nudged ?? [])
    scheduled.push({ at, toInput: () => ({ type: 'nudged', wantsAnswer }) });
  if (world.watcherFailsAt !== undefined)
    scheduled.push({
      at: world.watcherFailsAt,
      toInput: () => ({ type: 'watcher-failed', error: new Error('too many watches') }),
    });

  let found: Scan | null = null;
  let state = createWatchState(world.live ?? null, 0);

  const start = (effect: Effect, began: number): void => {
    log.push({ at: began, did: nameOf(effect, found) });
    if (effect.do === 'scan')
      scheduled.push({
        at: began + scanMs,
        toInput(at) {
          const kind = scanFault(at);
          if (kind !== null) return { type: 'failed', error: new ClientError(kind, kind) };
          found = scanBetween(folderAt(world, began), folderAt(world, at));
          return { type: 'scanned', scan: found };
        },
      });
    if (effect.do === 'publish') {
      const { id } = found!;
      scheduled.push({
        at: began + publishMs,
        toInput(at) {
          const failure = fault(at);
          if (failure) return { type: 'failed', error: new ClientError(failure[0], failure[0], failure[1]) };
          if (world.found === id) return { type: 'unchanged' };
          return { type: 'published', deployment: { deployment: id } as CreatedDeployment, url: id };
        },
      });
    }
  };
  const take = (input: WatchInput, at: number): void => {
    const { state: next, effects } = decide(state, input, at, WATCH_RULE);
    state = next;
    for (const effect of effects) start(effect, at);
  };

  take({ type: 'woken' }, 0);
  for (;;) {
    const wake = wakeAt(state, WATCH_RULE);
    const first = scheduled.toSorted((a, b) => a.at - b.at)[0];
    const at = Math.min(wake, first?.at ?? Number.POSITIVE_INFINITY);
    if (at > untilMs) return log;
    if (first && first.at <= wake) {
      scheduled.splice(scheduled.indexOf(first), 1);
      take(first.toInput(at), at);
    } else take({ type: 'woken' }, at);
  }
}

/** The contents of the folder at a time. */
export function folderAt({ folder }: FakeWorld, at: number): Folder {
  return folder.findLast(([since]) => since <= at)![1];
}

/** The result of a scan that starts with one state and ends with another. */
function scanBetween(first: Folder, last: Folder): Scan {
  const nothing = [first, last].find((folder) => typeof folder === 'string');
  if (typeof nothing === 'string') return { found: nothing, id: nothing, frontPage: false };
  const [one, other] = [first[0], last[1]];
  return { found: 'files', id: `${one}+${other}`, frontPage: !one.endsWith('-') };
}

function nameOf(effect: Effect, found: Scan | null): string {
  switch (effect.do) {
    case 'scan':
    case 'restart-watcher':
      return effect.do;
    case 'publish':
      return `publish ${found!.id}`;
    case 'emit': {
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
