import type { ClientError } from '../errors.ts';
import { backoffMs, retryAfterMs } from '../retry.ts';
import type { MissingReason } from './events.ts';
import type { WatchRule } from './input.ts';
import {
  clearFailures,
  type Decision,
  type Effect,
  type WatchInput,
  type Live,
  type Scan,
  emit,
  restartQuietPeriod,
  type WatchState,
} from './state.ts';

/**
 * Computes the next state of a watch and its effects from an input.
 *
 * A folder is settled if two scans in a row find the same, with no change notification from the start of the first to the end
 * of the second. If notifications never stop, two equal scans a whole quiet period apart are enough. So the published files
 * did not change for a while and were complete as far as can be judged from outside. A scan starts earlier by the duration of the
 * previous one, because the folder must be quiet until its end.
 *
 * Source: watching D2 to D8.
 */
export function decide(state: WatchState, input: WatchInput, now: number, rule: WatchRule): Decision {
  const applied = applyInput(state, input, now, rule);
  if (wakeAt(applied.state, rule) > now) return applied;
  return {
    state: { ...applied.state, busy: { doing: 'scan', since: now, fresh: true } },
    effects: [...applied.effects, { do: 'scan' }],
  };
}

/** When to call {@link decide} next without any input; infinite while a scan or publish is running. */
export function wakeAt({ busy, changes, seen, scanMs, pause, nextScanAt }: WatchState, rule: WatchRule): number {
  if (busy !== null) return Number.POSITIVE_INFINITY;
  if (changes === null) return nextScanAt;
  const half = rule.quietMs / 2;
  const early = Math.min(scanMs, half / 2);
  const settledAt =
    seen?.fresh === true ? Math.max(seen.at + half, changes.last + rule.quietMs - early) : changes.last + half - early;
  const forcedAt = Math.max(changes.first + rule.longestMs, seen === null ? 0 : seen.at + rule.quietMs);
  return Math.max(Math.min(settledAt, forcedAt), pause?.until ?? 0);
}

function applyInput(state: WatchState, input: WatchInput, now: number, rule: WatchRule): Decision {
  switch (input.type) {
    case 'woken':
      return { state, effects: [] };
    case 'changed':
      return changed(state, now, rule);
    case 'nudged':
      return input.wantsAnswer ? publishRequested(state, now) : rescanSoon(state, now);
    case 'scanned':
      return scanned(state, input.scan, now, rule);
    case 'published':
    case 'unchanged':
      return published(state, input);
    case 'failed':
      return decideAfterFailure({ ...state, busy: null }, state.busy, input.error, now, rule);
    case 'watcher-failed':
      return {
        state: { ...state, polling: true, nextScanAt: now },
        effects: state.polling ? [] : emit({ type: 'polling', everyMs: rule.pollEveryMs, reason: input.error.message }),
      };
    default:
      return input satisfies never;
  }
}

/** Restarts the quiet period. Shortens a pause caused by a network failure, because a user who is active may be online again. */
function changed(state: WatchState, now: number, rule: WatchRule): Decision {
  const { busy, seen, pause, unstable } = state;
  return {
    state: {
      ...restartQuietPeriod(state, now, true),
      seen: seen && { ...seen, fresh: false },
      busy: busy?.doing === 'scan' ? { ...busy, fresh: false } : busy,
      unstable: unstable && { ...unstable, failuresSinceChange: 0 },
      pause: pause?.offline === true ? { ...pause, until: Math.min(pause.until, now + rule.firstPauseMs) } : pause,
    },
    effects: state.changes?.announced === true ? [] : emit({ type: 'settling' }),
  };
}

/** A publish was requested. It always gets an answer, so retry what was refused, and report again what was reported before. */
function publishRequested(state: WatchState, now: number): Decision {
  return {
    state: {
      ...clearFailures(restartQuietPeriod(state, now, true)),
      missing: state.missing && { ...state.missing, reported: null },
    },
    effects: state.changes?.announced === true ? [] : emit({ type: 'settling' }),
  };
}

/** Scans soon, because the network may be back or changes may have been missed. A pause requested by the server is kept. */
function rescanSoon(state: WatchState, now: number): Decision {
  return {
    state: { ...state, nextScanAt: now, pause: state.pause?.offline === true ? null : state.pause },
    effects: [],
  };
}

function scanned(state: WatchState, scan: Scan, now: number, rule: WatchRule): Decision {
  const { busy, changes, seen, live, refusedId, missing } = state;
  if (busy?.doing !== 'scan') throw new Error('A scan ended, but none was running');
  const idle = {
    ...state,
    busy: null,
    scanMs: now - busy.since,
    nextScanAt: now + (state.polling ? rule.pollEveryMs : rule.lookEveryMs),
  };
  if (changes === null) {
    const reason = reasonNotToPublish(scan, live);
    if (reason !== null && missing !== null) return nothingToPublish(idle, reason, missing.since, now, rule);
    const wasReported = (missing?.reported ?? null) !== null;
    if (reason === null && live?.confirmed === true && scan.id === live.id)
      return {
        state: clearFailures({ ...idle, missing: null }),
        effects: wasReported || refusedId !== null ? emit({ type: 'unchanged' }) : [],
      };
    // These files were refused and would be again. But if something else was reported in between, publish again to get an answer.
    if (reason === null && scan.id === refusedId && !wasReported)
      return { state: { ...idle, missing: null }, effects: [] };
    return {
      state: { ...restartQuietPeriod(idle, busy.since, false), seen: { scan, at: busy.since, fresh: busy.fresh } },
      effects: [],
    };
  }
  const isSettled =
    (seen?.fresh === true && busy.fresh) ||
    (seen !== null && busy.since >= changes.first + rule.longestMs && busy.since >= seen.at + rule.quietMs);
  if (!isSettled || seen.scan.id !== scan.id)
    return { state: { ...idle, seen: { scan, at: busy.since, fresh: busy.fresh } }, effects: [] };
  return settled({ ...idle, changes: null, seen: null }, scan, changes, now, rule);
}

function settled(
  state: WatchState,
  scan: Scan,
  { first, announced }: { first: number; announced: boolean },
  now: number,
  rule: WatchRule,
): Decision {
  const restart: Effect[] = announced || state.polling ? [] : [{ do: 'restart-watcher' }];
  const reason = reasonNotToPublish(scan, state.live);
  if (reason !== null) return nothingToPublish(state, reason, first, now, rule, restart);
  const present = { ...state, missing: null };
  if (state.live?.confirmed === true && state.live.id === scan.id)
    return { state: clearFailures(present), effects: [...restart, ...(announced ? emit({ type: 'unchanged' }) : [])] };
  return {
    state: { ...present, busy: { doing: 'publish', id: scan.id, frontPage: scan.frontPage } },
    effects: [...restart, { do: 'publish' }],
  };
}

/** Handles a folder that cannot be published: waits for the grace time, then reports it. */
function nothingToPublish(
  state: WatchState,
  reason: MissingReason,
  first: number,
  now: number,
  rule: WatchRule,
  effects: readonly Effect[] = [],
): Decision {
  const { since, reported } = state.missing ?? { since: first, reported: null };
  const over = since + rule.graceMs;
  if (now < over)
    return {
      state: { ...state, unstable: null, missing: { since, reported }, nextScanAt: Math.min(state.nextScanAt, over) },
      effects,
    };
  return {
    state: { ...state, unstable: null, missing: { since, reported: reason } },
    effects: reported === reason ? effects : [...effects, ...emit({ type: 'missing', reason })],
  };
}

function published(state: WatchState, input: WatchInput & { type: 'published' | 'unchanged' }): Decision {
  if (state.busy?.doing !== 'publish') throw new Error('A publish ended, but none was running');
  const { id, frontPage } = state.busy;
  return {
    state: clearFailures({ ...state, busy: null, live: { id, frontPage, confirmed: true } }),
    effects: emit(input.type === 'published' ? input : { type: 'unchanged' }),
  };
}

/**
 * Decides what to do after a failure: retry after a growing pause, or wait until the folder changes. A folder that changes
 * while it is read or published does not count as a failure at first.
 *
 * @param state Must have no scan or publish running. @param during What failed. Source: watching D5, D6.
 */
function decideAfterFailure(
  state: WatchState,
  during: WatchState['busy'],
  error: ClientError,
  now: number,
  rule: WatchRule,
): Decision {
  switch (error.kind) {
    case 'refused':
    case 'signed-out':
      return {
        state: { ...clearFailures(state), refusedId: during?.doing === 'publish' ? during.id : null },
        effects: emit({ type: 'failed', error, waitMs: null }),
      };
    case 'folder': {
      const { since, failuresSinceChange } = state.unstable ?? { since: now, failuresSinceChange: 0 };
      const unstable = { since, failuresSinceChange: failuresSinceChange + 1 };
      // A running build explains this, but not indefinitely, and not if nothing changes. Change notifications may be late, so a
      // single failure without one proves nothing.
      return unstable.failuresSinceChange > 2 || now >= since + rule.graceMs
        ? pauseAfter({ ...state, unstable }, error, false, now, rule)
        : { state: { ...restartQuietPeriod(state, now, true), seen: null, unstable }, effects: [] };
    }
    case 'network':
      return pauseAfter(state, error, true, now, rule);
    case 'unavailable':
    case 'server':
    case 'aborted':
      return pauseAfter(state, error, false, now, rule);
    default:
      return error.kind satisfies never;
  }
}

function pauseAfter(state: WatchState, error: ClientError, offline: boolean, now: number, rule: WatchRule): Decision {
  const waitMs = Math.max(backoffMs(state.failures, rule.firstPauseMs, rule.longestPauseMs), retryAfterMs(error));
  return {
    state: {
      ...restartQuietPeriod(state, now, true),
      seen: null,
      failures: state.failures + 1,
      pause: { until: now + waitMs, offline },
    },
    effects: emit({ type: 'failed', error, waitMs }),
  };
}

/** The reason not to publish a scan; `null` if it can be published. Source: watching D3. */
function reasonNotToPublish(scan: Scan, live: Live | null): MissingReason | null {
  if (scan.found !== 'files') return scan.found;
  return live?.frontPage === true && !scan.frontPage ? 'no-front-page' : null;
}
