import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, retryAfterMs } from './backoff.ts';
import { ClientError } from './errors.ts';

/** How many times, and for how long, to retry after temporary failures. */
export interface RetryPolicy {
  /** The number of failures in a row to tolerate; the next one is thrown. */
  attempts: number;
  /** The maximum pause after the first failure, in milliseconds. It doubles with each further failure. */
  firstMs: number;
  /** The maximum of any pause, unless the server asks for a longer one. */
  longestMs: number;
  /** The time limit after the first failure in a row. A pause that would end later is not started. */
  withinMs: number;
}

/** The maximum jitter on top of a pause that the server asked for, in milliseconds. */
const MAX_EXTRA_JITTER_MS = 1_000;

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 10, firstMs: 250, longestMs: 15_000, withinMs: 180_000 };

/** A failure that is followed by another attempt. */
export interface Retry {
  /** From 1. */
  attempt: number;
  waitMs: number;
  reason: string;
}

/** Counts the failures in a row of one piece of work. */
export interface RetryCounter {
  /**
   * Waits until the next attempt.
   *
   * @param atLeastMs The minimum pause. Default: none.
   * @throws the failure itself if a retry cannot help or the limits are reached; `aborted`.
   */
  waitAfter(failure: unknown, atLeastMs?: number): Promise<void>;
  /** Reports progress, which resets the failure count. */
  reset(): void;
}

/** Returns true for temporary failures: the connection broke, or the server asks to try again later. */
export function isTemporary(failure: unknown): failure is ClientError {
  return failure instanceof ClientError && (failure.kind === 'network' || failure.kind === 'unavailable');
}

/**
 * Returns the pause before the next attempt. It is random, between 0 and a limit that doubles with each failure ("full
 * jitter"), so that clients that failed together do not return together. It is at least what the server asked for, up to a day.
 *
 * @param attempt Failures in a row, from 1.
 * @param elapsedMs Time since the first of them.
 * @returns Milliseconds, or `null` to stop retrying.
 */
export function retryPauseMs(
  attempt: number,
  elapsedMs: number,
  failure: Pick<ClientError, 'retryAfterSeconds'>,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | null {
  if (attempt > policy.attempts) return null;
  const jitterMs = Math.round(random() * backoffMs(attempt - 1, policy.firstMs, policy.longestMs));
  const waitMs =
    failure.retryAfterSeconds === null ? jitterMs : retryAfterMs(failure) + Math.min(jitterMs, MAX_EXTRA_JITTER_MS);
  return elapsedMs + waitMs > policy.withinMs ? null : waitMs;
}

/** Counts failures and waits after each. @param onRetry Called at the start of each pause. */
export function createRetryCounter(
  policy: RetryPolicy,
  signal: AbortSignal,
  onRetry: (retry: Retry) => void,
): RetryCounter {
  let attempt = 0;
  let firstAt = 0;
  return {
    async waitAfter(failure, atLeastMs = 0) {
      if (!isTemporary(failure)) throw failure;
      if (attempt === 0) firstAt = performance.now();
      attempt += 1;
      const pauseMs = retryPauseMs(attempt, performance.now() - firstAt, failure, policy);
      if (pauseMs === null) throw failure;
      const waitMs = Math.max(pauseMs, atLeastMs);
      onRetry({ attempt, waitMs, reason: failure.message });
      await sleep(waitMs, undefined, { signal });
    },
    reset() {
      attempt = 0;
    },
  };
}

/** Repeats idempotent work until it succeeds or a retry cannot help. */
export async function retry<T>(work: () => Promise<T>, retries: RetryCounter): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      await retries.waitAfter(failure);
    }
  }
}
