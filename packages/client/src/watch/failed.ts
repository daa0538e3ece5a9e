import type { ClientError } from '../errors.ts';
import { LONGEST_ASKED_MS } from '../retry.ts';
import type { WatchRule } from './rule.ts';
import { clearFailures, type Decision, emit, unsettle, type WatchState } from './state.ts';

/**
 * Decides what to do after a failure: retry after a growing pause, or wait until the folder changes. A folder that changes
 * while it is read or published does not count as a failure at first.
 *
 * @param state Must have no scan or publish running. @param during What failed. Source: the watch rule, D5, D6.
 */
export function failed(
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
      const { since, quietFailures } = state.unstable ?? { since: now, quietFailures: 0 };
      const unstable = { since, quietFailures: quietFailures + 1 };
      // A running build explains this, but not indefinitely, and not if nothing changes. Change notifications may be late, so a
      // single failure without one proves nothing.
      return unstable.quietFailures > 2 || now >= since + rule.graceMs
        ? paused({ ...state, unstable }, error, false, now, rule)
        : { state: { ...unsettle(state, now, true), seen: null, unstable }, effects: [] };
    }
    case 'network':
      return paused(state, error, true, now, rule);
    case 'unavailable':
    case 'server':
    case 'aborted':
      return paused(state, error, false, now, rule);
    default:
      return error.kind satisfies never;
  }
}

function paused(state: WatchState, error: ClientError, offline: boolean, now: number, rule: WatchRule): Decision {
  const growing = Math.min(rule.firstPauseMs * 2 ** state.failures, rule.longestPauseMs);
  const waitMs = Math.max(growing, Math.min((error.retryAfterSeconds ?? 0) * 1_000, LONGEST_ASKED_MS));
  return {
    state: {
      ...unsettle(state, now, true),
      seen: null,
      failures: state.failures + 1,
      pause: { until: now + waitMs, offline },
    },
    effects: emit({ type: 'failed', error, waitMs }),
  };
}
