import type { CreatedDeployment } from '@berth/contract';
import type { ClientError } from '../errors.ts';
import type { MissingReason, WatchEvent } from './events.ts';

/** What a look at the folder found. */
export interface Look {
  found: 'files' | 'empty' | 'gone';
  /** Names what was found: equal for equal paths and contents, and only for them. */
  id: string;
  /** Whether it has an `index.html` at its root. */
  frontPage: boolean;
}

/** What is live. `sure` once this watch has published it, or has seen it at the server. */
export interface Live {
  id: string;
  frontPage: boolean;
  sure: boolean;
}

/** All that a watch knows. Times are milliseconds of one clock. */
export interface WatchState {
  live: Live | null;
  /** Changes that are not settled; `told` of, so that there is an answer to them. */
  changes: { first: number; last: number; told: boolean } | null;
  /** The last look at these changes; `fresh` while nothing was heard since it began. */
  seen: { look: Look; at: number; fresh: boolean } | null;
  busy: { doing: 'look'; since: number; fresh: boolean } | { doing: 'publish'; id: string; frontPage: boolean } | null;
  /** How long the last look took. */
  lookMs: number;
  /** Nothing is published since then; and what was told about it. */
  missing: { since: number; told: MissingReason | null } | null;
  /** What was refused: not tried again until somebody touches the folder. */
  held: string | null;
  /** Since when the folder cannot be read, or changes while it is published; how often it was so and nothing was heard after. */
  torn: { since: number; still: number } | null;
  failures: number;
  pause: { until: number; offline: boolean } | null;
  /** When the folder is looked at if nothing is heard. */
  lookAt: number;
  polling: boolean;
}

/** What can happen to a watch. */
export type Happening =
  | { type: 'changed' }
  | { type: 'woken' }
  /** Somebody wants it to look now; `asked` when they wait for an answer. */
  | { type: 'nudged'; asked: boolean }
  | { type: 'looked'; look: Look }
  | { type: 'published'; deployment: CreatedDeployment; url: string }
  /** What was to be published is live already. */
  | { type: 'found' }
  | { type: 'failed'; error: ClientError }
  /** The system tells of no changes any more. */
  | { type: 'deafened'; error: Error };

/** What is to be done. At most one `look` or `publish` is under way at any time. */
export type Effect =
  | { do: 'look' }
  /** What the last look found. */
  | { do: 'publish' }
  /** A change was missed: listen anew. */
  | { do: 'listen' }
  | { do: 'tell'; event: WatchEvent };

/** A state, and what is to be done on the way to it. */
export interface Decision {
  state: WatchState;
  effects: readonly Effect[];
}

/**
 * The state in which a watch begins: the folder is looked at as after a change.
 *
 * @param live What is live as far as is known here; the server is asked before it counts.
 */
export function beginWatch(live: Omit<Live, 'sure'> | null, now: number): WatchState {
  return {
    live: live && { ...live, sure: false },
    changes: { first: now, last: now, told: true },
    seen: null,
    busy: null,
    lookMs: 0,
    missing: { since: Number.NEGATIVE_INFINITY, told: null },
    held: null,
    torn: null,
    failures: 0,
    pause: null,
    lookAt: now,
    polling: false,
  };
}

/** The quiet period starts again. @param told Whether an answer to these changes is expected. */
export function unsettled(state: WatchState, now: number, told: boolean): WatchState {
  const { changes } = state;
  return { ...state, changes: { first: changes?.first ?? now, last: now, told: told || changes?.told === true } };
}

/** Nothing is wrong any more. */
export function calm(state: WatchState): WatchState {
  return { ...state, held: null, torn: null, failures: 0, pause: null };
}

/** The effect of telling something. */
export function tell(event: WatchEvent): Effect[] {
  return [{ do: 'tell', event }];
}
