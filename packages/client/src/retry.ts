import { setTimeout as sleep } from 'node:timers/promises';
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

/** The longest pause that a server can ask for, in milliseconds: a day. A timer supports at most 24 days. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Returns the pause before the next attempt: `firstMs`, doubled with each further failure, up to `maxMs`.
 *
 * @param failures Failures in a row before the last one: 0 after the first failure.
 */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** failures, maxMs);
}

/** Returns the pause that the server asked for with `Retry-After`, in milliseconds: at most a day, and 0 if it asked for none. */
export function retryAfterMs({ retryAfterSeconds }: { retryAfterSeconds: number | null }): number {
  return Math.min((retryAfterSeconds ?? 0) * 1_000, MAX_RETRY_AFTER_MS);
}

/** A failure that is followed by another attempt. */
export interface Retry {
  /** From 1. */
  attempt: number;
  waitMs: number;
  reason: string;
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

/** Counts the failures in a row of one piece of work, and waits after each. */
export class RetryCounter {
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal;
  readonly #onRetry: (retry: Retry) => void;
  #attempt = 0;
  #firstAt = 0;

  /** @param onRetry Called at the start of each pause. */
  constructor(policy: RetryPolicy, signal: AbortSignal, onRetry: (retry: Retry) => void) {
    this.#policy = policy;
    this.#signal = signal;
    this.#onRetry = onRetry;
  }

  /**
   * Waits until the next attempt.
   *
   * @param atLeastMs The minimum pause. Default: none.
   * @throws the failure itself if a retry cannot help or the limits are reached; `aborted`.
   */
  async waitAfter(failure: unknown, atLeastMs = 0): Promise<void> {
    if (!isTemporary(failure)) throw failure;
    if (this.#attempt === 0) this.#firstAt = performance.now();
    this.#attempt += 1;
    const pauseMs = retryPauseMs(this.#attempt, performance.now() - this.#firstAt, failure, this.#policy);
    if (pauseMs === null) throw failure;
    const waitMs = Math.max(pauseMs, atLeastMs);
    this.#onRetry({ attempt: this.#attempt, waitMs, reason: failure.message });
    await sleep(waitMs, undefined, { signal: this.#signal });
  }

  /** Reports progress, which resets the failure count. */
  reset(): void {
    this.#attempt = 0;
  }
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
