import type { ClientError } from '../errors.ts';
import { backoffMs, retryAfterMs } from '../backoff.ts';
import type { WatchRule } from './rule.ts';
import { clearFailures, type Decision, emit, restartQuietPeriod, type WatchState } from './state.ts';

/**
 * Decides what to do after a failure: retry after a growing pause, or wait until the folder changes. A folder that changes
 * while it is read or published does not count as a failure at first.
 *
 * @param state Must have no scan or publish running. @param during What failed. Source: watching D5, D6.
 */
export function decideAfterFailure(
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
