import type { CreatedDeployment } from '@berth/contract';
import type { ClientError } from '../errors.ts';
import type { MissingReason, WatchEvent } from './events.ts';

export interface Scan {
  found: 'files' | 'empty' | 'gone';
  /** A hash of all paths and contents. */
  id: string;
  /** Whether there is an `index.html` at the root. */
  frontPage: boolean;
}

/** The files that are live. */
export interface Live extends Omit<Scan, 'found'> {
  /** True if this watch has published the files, or the server has confirmed that they are live. */
  confirmed: boolean;
}

/** The state of a watch. All times are milliseconds of the same monotonic clock. */
export interface WatchState {
  live: Live | null;
  /** The times of the first and the last unsettled change. If `announced`, an event must follow even if nothing changed. */
  changes: { first: number; last: number; announced: boolean } | null;
  /** The last scan since the first unsettled change. `fresh` if no change was notified since the scan started. */
  lastScan: { scan: Scan; at: number; fresh: boolean } | null;
  busy: { doing: 'scan'; since: number; fresh: boolean } | { doing: 'publish'; id: string; frontPage: boolean } | null;
  /** The duration of the last scan. */
  scanMs: number;
  /** The time since which there is nothing to publish, and the reason that was reported. */
  missing: { since: number; reported: MissingReason | null } | null;
  /** The id of the refused scan. It is not published again before the folder changes or the caller requests a publish. */
  refusedId: string | null;
  /** The time since which the folder cannot be read or published, and the number of failures since the last change. */
  unstable: { since: number; failuresSinceChange: number } | null;
  /** The number of failures in a row. */
  failures: number;
  /** The pause after a failure. `offline` if the server could not be reached. */
  pause: { until: number; offline: boolean } | null;
  /** The time of the next scan if no change is notified. */
  nextScanAt: number;
  polling: boolean;
}

export type WatchInput =
  | { type: 'changed' }
  | { type: 'woken' }
  /** The caller requested a scan or, if `wantsEvent`, a publish whose result an event must report. */
  | { type: 'nudged'; wantsEvent: boolean }
  | { type: 'scanned'; scan: Scan }
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** The publish found that the files of the last scan are already live. */
  | { type: 'unchanged' }
  | { type: 'failed'; error: ClientError }
  /** The system no longer reports changes. */
  | { type: 'watcher-failed'; error: Error };

/** An effect of a decision. At most one `scan` or `publish` runs at a time. */
export type Effect =
  | { do: 'scan' }
  /** Publishes the files of the last scan. */
  | { do: 'publish' }
  /** Replaces the watcher, because it missed a change. */
  | { do: 'restart-watcher' }
  | { do: 'emit'; event: WatchEvent };

export interface Decision {
  state: WatchState;
  effects: readonly Effect[];
}

/** Returns the initial state of a watch, which scans the folder soon. @param live What is live according to the local cache. */
export function createWatchState(live: Omit<Live, 'confirmed'> | null, now: number): WatchState {
  return {
    live: live && { ...live, confirmed: false },
    changes: { first: now, last: now, announced: true },
    lastScan: null,
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

/** Restarts the quiet period. @param announce Whether an event must follow even if nothing changed. */
export function restartQuietPeriod(state: WatchState, now: number, announce: boolean): WatchState {
  const { changes } = state;
  return {
    ...state,
    changes: { first: changes?.first ?? now, last: now, announced: announce || changes?.announced === true },
  };
}

export function clearFailures(state: WatchState): WatchState {
  return { ...state, refusedId: null, unstable: null, failures: 0, pause: null };
}

export function emit(event: WatchEvent): Effect[] {
  return [{ do: 'emit', event }];
}
