import type { CreatedDeployment } from '@berth/contract';
import { ClientError, type ClientErrorKind, type ClientErrorOptions } from '../../src/errors.ts';
import { decide, wakeAt } from '../../src/watch/decide.ts';
import { WATCH_RULE } from '../../src/watch/input.ts';
import { createWatchState, type Effect, type WatchInput, type Live, type Scan } from '../../src/watch/state.ts';

/** The builds that wrote the two files of a folder, or why there are none. A build such as `a-` has no front page. */
export type Folder = readonly [first: string, second: string] | 'empty' | 'gone';

/** A simulated folder and server with a virtual clock. */
export interface SimulatedFolder {
  /** The states of the folder, each with the time in milliseconds at which it begins. */
  folder: readonly (readonly [at: number, folder: Folder])[];
  /** The times of the change notifications. Default: each change of the folder after the first. */
  notified?: readonly number[];
  watcherFailsAt?: number;
  /** The times of requests to the watch, and whether an event must report the result. */
  nudged?: readonly (readonly [at: number, wantsEvent: boolean])[];
  live?: Omit<Live, 'confirmed'>;
  /** The duration of a scan. A scan reads the first file at its start, and the second file at its end. */
  scanMs?: number;
  publishMs?: number;
  /** Returns the failure of a deploy that ends at a time; `null` if the deploy succeeds. */
  fault?: (at: number) => [ClientErrorKind, ClientErrorOptions?] | null;
  /** Returns the failure of a scan that ends at a time; `null` if the scan succeeds. */
  scanFault?: (at: number) => ClientErrorKind | null;
  /** The id of the state that is live on the server before the first deploy. */
  found?: string;
}

/** An effect or event, and its time. */
export interface Entry {
  at: number;
  did: string;
}

/** Runs a watch in a simulated world. @param untilMs When to stop. */
export function simulate(world: SimulatedFolder, untilMs: number): Entry[] {
  const { scanMs = 10, publishMs = 100, fault = () => null, scanFault = () => null } = world;
  const log: Entry[] = [];
  const scheduledInputs: { at: number; toInput: (at: number) => WatchInput }[] = [];
  const notifiedAt = world.notified ?? world.folder.slice(1).map(([at]) => at);
  for (const at of notifiedAt) scheduledInputs.push({ at, toInput: () => ({ type: 'changed' }) });
  for (const [at, wantsEvent] of world.nudged ?? [])
    scheduledInputs.push({ at, toInput: () => ({ type: 'nudged', wantsEvent }) });
  if (world.watcherFailsAt !== undefined)
    scheduledInputs.push({
      at: world.watcherFailsAt,
      toInput: () => ({ type: 'watcher-failed', error: new Error('too many watches') }),
    });

  let foundScan: Scan | null = null;
  let state = createWatchState(world.live ?? null, 0);

  const start = (effect: Effect, began: number): void => {
    log.push({ at: began, did: nameOf(effect, foundScan) });
    if (effect.do === 'scan')
      scheduledInputs.push({
        at: began + scanMs,
        toInput(at) {
          const kind = scanFault(at);
          if (kind !== null) return { type: 'failed', error: new ClientError(kind, kind) };
          foundScan = scanBetween(folderAt(world, began), folderAt(world, at));
          return { type: 'scanned', scan: foundScan };
        },
      });
    if (effect.do === 'publish') {
      const { id } = foundScan!;
      scheduledInputs.push({
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
  const applyInput = (input: WatchInput, at: number): void => {
    const { state: next, effects } = decide(state, input, at, WATCH_RULE);
    state = next;
    for (const effect of effects) start(effect, at);
  };

  applyInput({ type: 'woken' }, 0);
  for (;;) {
    const wakeMs = wakeAt(state, WATCH_RULE);
    const firstInput = scheduledInputs.toSorted((a, b) => a.at - b.at)[0];
    const at = Math.min(wakeMs, firstInput?.at ?? Number.POSITIVE_INFINITY);
    if (at > untilMs) return log;
    if (firstInput && firstInput.at <= wakeMs) {
      scheduledInputs.splice(scheduledInputs.indexOf(firstInput), 1);
      applyInput(firstInput.toInput(at), at);
    } else applyInput({ type: 'woken' }, at);
  }
}

/** Returns the state of the folder at a time. */
export function folderAt({ folder }: SimulatedFolder, at: number): Folder {
  return folder.findLast(([since]) => since <= at)![1];
}

/** Returns the result of a scan during which the folder changes from one state to another. */
function scanBetween(first: Folder, last: Folder): Scan {
  const missingFolder = [first, last].find((folder) => typeof folder === 'string');
  if (typeof missingFolder === 'string') return { found: missingFolder, id: missingFolder, frontPage: false };
  const [firstFile, lastFile] = [first[0], last[1]];
  return { found: 'files', id: `${firstFile}+${lastFile}`, frontPage: !firstFile.endsWith('-') };
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
