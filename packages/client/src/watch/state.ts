import type { CreatedDeployment } from '@berth/contract';
import type { ClientError } from '../errors.ts';
import type { MissingReason, WatchEvent } from './events.ts';

/** The result of a scan. */
export interface Scan {
  found: 'files' | 'empty' | 'gone';
  /** Identifies the files: equal for equal paths and contents, and only for these. */
  id: string;
  /** Whether there is an `index.html` at the root. */
  frontPage: boolean;
}

/** What is live. `confirmed` once this watch has published it, or the server has confirmed it. */
export interface Live {
  id: string;
  frontPage: boolean;
  confirmed: boolean;
}

/** The state of a watch. Times are milliseconds of one monotonic clock. */
export interface WatchState {
  live: Live | null;
  /** Changes that are not settled yet; `announced` if a closing event must follow them. */
  changes: { first: number; last: number; announced: boolean } | null;
  /** The last scan of these changes. `fresh` until the next change notification after its start. */
  seen: { scan: Scan; at: number; fresh: boolean } | null;
  busy: { doing: 'scan'; since: number; fresh: boolean } | { doing: 'publish'; id: string; frontPage: boolean } | null;
  /** How long the last scan took. */
  scanMs: number;
  /** Since when there is nothing to publish, and the reason that was reported. */
  missing: { since: number; reported: MissingReason | null } | null;
  /** The id of a scan that the server refused. Not retried until the folder changes or a publish is requested. */
  refusedId: string | null;
  /** Since when the folder cannot be read or changes while it is published, and how many such failures came since the last change notification. */
  unstable: { since: number; failuresSinceChange: number } | null;
  failures: number;
  pause: { until: number; offline: boolean } | null;
  /** When to scan next if there are no change notifications. */
  nextScanAt: number;
  polling: boolean;
}

/** The inputs of a watch. */
export type WatchInput =
  | { type: 'changed' }
  | { type: 'woken' }
  /** The caller requested a scan; `wantsAnswer` if an event must follow in any case. */
  | { type: 'nudged'; wantsAnswer: boolean }
  | { type: 'scanned'; scan: Scan }
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** What should be published is already live. */
  | { type: 'unchanged' }
  | { type: 'failed'; error: ClientError }
  /** The system no longer reports changes. */
  | { type: 'watcher-failed'; error: Error };

/** The effects of a decision. At most one `scan` or `publish` runs at a time. */
export type Effect =
  | { do: 'scan' }
  /** Publish the last scan. */
  | { do: 'publish' }
  /** A change was missed: create a new watcher. */
  | { do: 'restart-watcher' }
  | { do: 'emit'; event: WatchEvent };

/** The next state, and the effects to perform. */
export interface Decision {
  state: WatchState;
  effects: readonly Effect[];
}

/**
 * The initial state of a watch: the folder is scanned as after a change.
 *
 * @param live What is live according to the local cache. The server must confirm it before it counts.
 */
export function createWatchState(live: Omit<Live, 'confirmed'> | null, now: number): WatchState {
  return {
    live: live && { ...live, confirmed: false },
    changes: { first: now, last: now, announced: true },
    seen: null,
    busy: null,
    scanMs: 0,
    missing: { since: Number.NEGATIVE_INFINITY, reported: null },
    refusedId: null,
    unstable: null,
    failures: 0,
    pause: null,
    nextScanAt: now,
    polling: false,
  };
}

/** Restarts the quiet period. @param announce Whether an event must follow these changes. */
export function restartQuietPeriod(state: WatchState, now: number, announce: boolean): WatchState {
  const { changes } = state;
  return {
    ...state,
    changes: { first: changes?.first ?? now, last: now, announced: announce || changes?.announced === true },
  };
}

/** Forgets all failures. */
export function clearFailures(state: WatchState): WatchState {
  return { ...state, refusedId: null, unstable: null, failures: 0, pause: null };
}

export function emit(event: WatchEvent): Effect[] {
  return [{ do: 'emit', event }];
}
