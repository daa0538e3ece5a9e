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
 * Computes the next state of a watch, and the effects to perform.
 *
 * A folder is settled if two scans in a row find the same files, and no change was notified since the first scan started. If
 * notifications never stop, two equal scans that are a quiet period apart are enough.
 *
 * Source: watching D2 to D8.
 */
export function decide(state: WatchState, input: WatchInput, now: number, rule: WatchRule): Decision {
  const stateAfterInput = applyInput(state, input, now, rule);
  if (wakeAt(stateAfterInput.state, rule) > now) return stateAfterInput;
  return {
    state: { ...stateAfterInput.state, busy: { doing: 'scan', since: now, fresh: true } },
    effects: [...stateAfterInput.effects, { do: 'scan' }],
  };
}

/** Returns when to call {@link decide} if there is no input before; infinite while a scan or publish is running. */
export function wakeAt({ busy, changes, lastScan, scanMs, pause, nextScanAt }: WatchState, rule: WatchRule): number {
  if (busy !== null) return Number.POSITIVE_INFINITY;
  if (changes === null) return nextScanAt;
  const halfQuietMs = rule.quietMs / 2;
  // A scan takes time, and the folder must be quiet until the end of the scan.
  const earlyMs = Math.min(scanMs, halfQuietMs / 2);
  const settledAt =
    lastScan?.fresh === true
      ? Math.max(lastScan.at + halfQuietMs, changes.last + rule.quietMs - earlyMs)
      : changes.last + halfQuietMs - earlyMs;
  const forcedAt = Math.max(changes.first + rule.longestMs, lastScan === null ? 0 : lastScan.at + rule.quietMs);
  return Math.max(Math.min(settledAt, forcedAt), pause?.until ?? 0);
}

function applyInput(state: WatchState, input: WatchInput, now: number, rule: WatchRule): Decision {
  switch (input.type) {
    case 'woken':
      return { state, effects: [] };
    case 'changed':
      return decideAfterChange(state, now, rule);
    case 'nudged':
      return input.wantsEvent ? publishRequested(state, now) : rescanSoon(state, now);
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

/** Handles a change. Shortens the pause after a network failure, because the user is active and may be online again. */
function decideAfterChange(state: WatchState, now: number, rule: WatchRule): Decision {
  const { busy, lastScan, pause, unstable } = state;
  return {
    state: {
      ...restartQuietPeriod(state, now, true),
      lastScan: lastScan && { ...lastScan, fresh: false },
      busy: busy?.doing === 'scan' ? { ...busy, fresh: false } : busy,
      unstable: unstable && { ...unstable, failuresSinceChange: 0 },
      pause: pause?.offline === true ? { ...pause, until: Math.min(pause.until, now + rule.firstPauseMs) } : pause,
    },
    effects: state.changes?.announced === true ? [] : emit({ type: 'settling' }),
  };
}

/** Handles a requested publish. Clears what was refused, because an event must report the result. */
function publishRequested(state: WatchState, now: number): Decision {
  return {
    state: clearFailures(restartQuietPeriod(state, now, true)),
    effects: state.changes?.announced === true ? [] : emit({ type: 'settling' }),
  };
}

/** Handles a requested scan. Ends the pause after a network failure, because the network may be back. */
function rescanSoon(state: WatchState, now: number): Decision {
  return {
    state: { ...state, nextScanAt: now, pause: state.pause?.offline === true ? null : state.pause },
    effects: [],
  };
}

function scanned(state: WatchState, scan: Scan, now: number, rule: WatchRule): Decision {
  const { busy, changes, lastScan, live, refusedId, missing } = state;
  if (busy?.doing !== 'scan') throw new Error('A scan result arrived, but no scan was running');
  const idleState = {
    ...state,
    busy: null,
    scanMs: now - busy.since,
    nextScanAt: now + (state.polling ? rule.pollEveryMs : rule.lookEveryMs),
  };
  if (changes === null) {
    const reason = reasonNotToPublish(scan, live);
    if (reason !== null && missing !== null) return nothingToPublish(idleState, reason, missing.since, now, rule);
    const wasReported = (missing?.reported ?? null) !== null;
    if (reason === null && live?.confirmed === true && scan.id === live.id)
      return {
        state: clearFailures({ ...idleState, missing: null }),
        effects: wasReported || refusedId !== null ? emit({ type: 'unchanged' }) : [],
      };
    // The server would refuse these files again. After a `missing` event, another event must say that they are refused.
    if (reason === null && scan.id === refusedId && !wasReported)
      return { state: { ...idleState, missing: null }, effects: [] };
    return {
      state: {
        ...restartQuietPeriod(idleState, busy.since, false),
        lastScan: { scan, at: busy.since, fresh: busy.fresh },
      },
      effects: [],
    };
  }
  const isSettled =
    (lastScan?.fresh === true && busy.fresh) ||
    (lastScan !== null && busy.since >= changes.first + rule.longestMs && busy.since >= lastScan.at + rule.quietMs);
  if (!isSettled || lastScan.scan.id !== scan.id)
    return { state: { ...idleState, lastScan: { scan, at: busy.since, fresh: busy.fresh } }, effects: [] };
  return decideAfterSettling({ ...idleState, changes: null, lastScan: null }, scan, changes, now, rule);
}

function decideAfterSettling(
  state: WatchState,
  scan: Scan,
  { first, announced }: { first: number; announced: boolean },
  now: number,
  rule: WatchRule,
): Decision {
  const restartEffects: Effect[] = announced || state.polling ? [] : [{ do: 'restart-watcher' }];
  const reason = reasonNotToPublish(scan, state.live);
  if (reason !== null) {
    // After `settling`, another event must follow, even if the reason was reported before.
    const missing = state.missing && { ...state.missing, reported: announced ? null : state.missing.reported };
    return nothingToPublish({ ...state, missing }, reason, first, now, rule, restartEffects);
  }
  const presentState = { ...state, missing: null };
  if (state.live?.confirmed === true && state.live.id === scan.id)
    return {
      state: clearFailures(presentState),
      effects: [...restartEffects, ...(announced ? emit({ type: 'unchanged' }) : [])],
    };
  return {
    state: { ...presentState, busy: { doing: 'publish', id: scan.id, frontPage: scan.frontPage } },
    effects: [...restartEffects, { do: 'publish' }],
  };
}

/** Handles a folder with nothing to publish: waits for the grace time, then reports the reason. */
function nothingToPublish(
  state: WatchState,
  reason: MissingReason,
  first: number,
  now: number,
  rule: WatchRule,
  effects: readonly Effect[] = [],
): Decision {
  const { since, reported } = state.missing ?? { since: first, reported: null };
  const graceEndsAt = since + rule.graceMs;
  if (now < graceEndsAt)
    return {
      state: {
        ...state,
        unstable: null,
        missing: { since, reported },
        nextScanAt: Math.min(state.nextScanAt, graceEndsAt),
      },
      effects,
    };
  return {
    state: { ...state, unstable: null, missing: { since, reported: reason } },
    effects: reported === reason ? effects : [...effects, ...emit({ type: 'missing', reason })],
  };
}

function published(state: WatchState, input: WatchInput & { type: 'published' | 'unchanged' }): Decision {
  if (state.busy?.doing !== 'publish') throw new Error('A publish result arrived, but no publish was running');
  const { id, frontPage } = state.busy;
  return {
    state: clearFailures({ ...state, busy: null, live: { id, frontPage, confirmed: true } }),
    effects: emit(input.type === 'published' ? input : { type: 'unchanged' }),
  };
}

/**
 * Decides what to do after a failure: retry after a growing pause, or wait until the folder changes.
 *
 * @param state Its `busy` must be `null`. @param during The scan or publish that failed. Source: watching D5, D6.
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
        state: {
          ...clearFailures(during?.doing === 'scan' ? scanRefused(state, during.fresh, now, rule) : state),
          refusedId: during?.doing === 'publish' ? during.id : null,
        },
        effects: emit({ type: 'failed', error, waitMs: null, during: 'publish' }),
      };
    case 'folder': {
      const { since, failuresSinceChange } = state.unstable ?? { since: now, failuresSinceChange: 0 };
      const nextUnstable = { since, failuresSinceChange: failuresSinceChange + 1 };
      // A running build may cause the failure. The first two failures are not reported, because notifications may be late.
      return nextUnstable.failuresSinceChange > 2 || now >= since + rule.graceMs
        ? pauseAfter({ ...state, unstable: nextUnstable }, error, false, now, rule)
        : { state: { ...restartQuietPeriod(state, now, true), lastScan: null, unstable: nextUnstable }, effects: [] };
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

/** Waits for the next change, or the next scan without one. @param fresh False if a change was notified during the scan. */
function scanRefused(state: WatchState, fresh: boolean, now: number, rule: WatchRule): WatchState {
  const nextScanAt = now + (state.polling ? rule.pollEveryMs : rule.lookEveryMs);
  return {
    ...(fresh ? { ...state, changes: null } : restartQuietPeriod(state, now, true)),
    lastScan: null,
    nextScanAt,
  };
}

function pauseAfter(state: WatchState, error: ClientError, offline: boolean, now: number, rule: WatchRule): Decision {
  const waitMs = Math.max(backoffMs(state.failures, rule.firstPauseMs, rule.longestPauseMs), retryAfterMs(error));
  return {
    state: {
      ...restartQuietPeriod(state, now, true),
      lastScan: null,
      failures: state.failures + 1,
      pause: { until: now + waitMs, offline },
    },
    effects: emit({ type: 'failed', error, waitMs, during: 'publish' }),
  };
}

/** Returns the reason not to publish the files of a scan; `null` if they can be published. Source: watching D3. */
function reasonNotToPublish(scan: Scan, live: Live | null): MissingReason | null {
  if (scan.found !== 'files') return scan.found;
  return live?.frontPage === true && !scan.frontPage ? 'no-front-page' : null;
}
