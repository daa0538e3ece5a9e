import { ClientError } from './errors.ts';
import { sleep } from './sleep.ts';

/** How often, and for how long, to retry after temporary failures. */
export interface RetryPolicy {
  /** The maximum number of retries in a row. */
  attempts: number;
  /** The maximum pause after the first failure, in milliseconds. The maximum doubles with each further failure. */
  firstMs: number;
  /** The maximum of any pause, in milliseconds. `Retry-After` of the server can make a pause longer. */
  longestMs: number;
  /** The time limit for all retries after the first failure in a row, in milliseconds. */
  withinMs: number;
}

/** The maximum random extension of a `Retry-After` pause, in milliseconds. */
const MAX_EXTRA_JITTER_MS = 1_000;

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 10, firstMs: 250, longestMs: 15_000, withinMs: 180_000 };

/** The maximum of a `Retry-After` pause, in milliseconds: a day. A timer supports at most 24 days. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Returns the pause after a failure: `firstMs`, doubled for each of the `failures` before, up to `maxMs`. */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs);
}

/** Returns the pause that `Retry-After` requires, in milliseconds: at most a day, and 0 without a `Retry-After`. */
export function retryAfterMs({ retryAfterSeconds }: { retryAfterSeconds: number | null }): number {
  return Math.min((retryAfterSeconds ?? 0) * 1_000, MAX_RETRY_AFTER_MS);
}

/** A failure that is followed by another attempt. */
export interface Retry {
  /** The number of failures in a row, including this failure. */
  attempt: number;
  waitMs: number;
  reason: string;
}

/** Returns true for temporary failures: the connection broke, or the server is unavailable. */
export function isTemporary(failure: unknown): failure is ClientError {
  return failure instanceof ClientError && (failure.kind === 'network' || failure.kind === 'unavailable');
}

const UNREACHABLE_CODES: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND']);

/** Returns true if no server accepts connections at the address, or its name does not exist. */
function isUnreachable(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (UNREACHABLE_CODES.has((error as NodeJS.ErrnoException).code)) return true;
  return false;
}

/**
 * Returns the pause before the next attempt. The pause is random, up to a maximum that doubles with each failure ("full
 * jitter"), so that clients that failed together do not retry together. `Retry-After` is the minimum of the pause.
 *
 * @param attempt The number of failures in a row, from 1.
 * @param elapsedMs The time since the first failure.
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

export type RetryCounter = ReturnType<typeof createRetryCounter>;

/**
 * Counts the failures in a row of one task, and waits after each failure.
 *
 * @param onRetry Called at the start of each pause.
 * @param isFirstRequest Whether the server has not answered yet. A server that is unreachable then is not waited for, because
 *   its address may be incorrect.
 */
export function createRetryCounter(
  policy: RetryPolicy,
  signal: AbortSignal,
  onRetry: (retry: Retry) => void,
  { isFirstRequest = false }: { isFirstRequest?: boolean } = {},
) {
  let attempt = 0;
  let firstFailureAt = 0;
  return {
    /**
     * Waits until the next attempt.
     *
     * @param atLeastMs The minimum pause.
     * @throws the failure itself if a retry cannot help or the limits are reached, and the reason of an aborted signal.
     */
    async waitAfter(failure: unknown, atLeastMs = 0): Promise<void> {
      if (!isTemporary(failure) || (isFirstRequest && attempt === 0 && isUnreachable(failure))) throw failure;
      if (attempt === 0) firstFailureAt = performance.now();
      attempt += 1;
      const pauseMs = retryPauseMs(attempt, performance.now() - firstFailureAt, failure, policy);
      if (pauseMs === null) throw failure;
      const waitMs = Math.max(pauseMs, atLeastMs);
      onRetry({ attempt, waitMs, reason: failure.message });
      await sleep(waitMs, signal);
    },
    /** Resets the number of failures, after progress. */
    reset(): void {
      attempt = 0;
    },
  };
}

/** Repeats idempotent work until it succeeds or fails permanently. */
export async function retry<T>(work: () => Promise<T>, retries: RetryCounter): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      await retries.waitAfter(failure);
    }
  }
}
