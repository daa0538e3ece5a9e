import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from './errors.ts';

/** How often, and for how long, what failed for the moment is tried again. */
export interface RetryPolicy {
  /** Failures in a row that are borne; the next one is thrown. */
  attempts: number;
  /** The longest pause after the first failure, in milliseconds; it doubles with each further one. */
  firstMs: number;
  /** No pause is longer, unless the server asks for it. */
  longestMs: number;
  /** No pause begins that would end later than this after the first failure in a row. */
  withinMs: number;
}

/** The longest pause that a server can ask for, in milliseconds. A timer takes at most 24 days. */
export const LONGEST_ASKED_MS = 86_400_000;

export const DEFAULT_RETRIES: RetryPolicy = { attempts: 10, firstMs: 250, longestMs: 15_000, withinMs: 180_000 };

/** One failure that is followed by another attempt. */
export interface Retry {
  /** From 1. */
  attempt: number;
  waitMs: number;
  reason: string;
}

/** Failures in a row, of one piece of work. */
export interface Retries {
  /**
   * Waits until it is time to try again.
   *
   * @param atLeastMs The shortest pause. Default: none.
   * @throws the failure itself when trying again is of no use, or was tried often enough; `aborted`.
   */
  after(failure: unknown, atLeastMs?: number): Promise<void>;
  /** Something was achieved: failures are counted anew. */
  progressed(): void;
}

/** True for what may go away by itself: the line broke, or the server asks to come later. */
export function isPassing(failure: unknown): failure is ClientError {
  return failure instanceof ClientError && (failure.kind === 'network' || failure.kind === 'unavailable');
}

/**
 * The pause before another attempt: anywhere between none and twice the last limit ("full jitter"), so that clients that
 * failed together do not come back together; at least what the server asked for, up to {@link LONGEST_ASKED_MS}.
 *
 * @param attempt Failures in a row, from 1.
 * @param elapsedMs Since the first of them.
 * @returns Milliseconds, or `null` to give up.
 */
export function pauseBefore(
  attempt: number,
  elapsedMs: number,
  { retryAfterSeconds }: Pick<ClientError, 'retryAfterSeconds'>,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | null {
  if (attempt > policy.attempts) return null;
  const jitter = Math.round(random() * Math.min(policy.longestMs, policy.firstMs * 2 ** (attempt - 1)));
  const waitMs =
    retryAfterSeconds === null ? jitter : Math.min(retryAfterSeconds * 1000, LONGEST_ASKED_MS) + Math.min(jitter, 1000);
  return elapsedMs + waitMs > policy.withinMs ? null : waitMs;
}

/** Counts failures and waits after each. @param tell Hears of every pause when it begins. */
export function createRetries(policy: RetryPolicy, signal: AbortSignal, tell: (retry: Retry) => void): Retries {
  let attempt = 0;
  let firstAt = 0;
  return {
    async after(failure, atLeastMs = 0) {
      if (!isPassing(failure)) throw failure;
      if (attempt === 0) firstAt = performance.now();
      attempt += 1;
      const pauseMs = pauseBefore(attempt, performance.now() - firstAt, failure, policy);
      if (pauseMs === null) throw failure;
      const waitMs = Math.max(pauseMs, atLeastMs);
      tell({ attempt, waitMs, reason: failure.message });
      await sleep(waitMs, undefined, { signal });
    },
    progressed() {
      attempt = 0;
    },
  };
}

/** Does something that may be repeated safely, until it succeeds or trying again is of no use. */
export async function retry<T>(work: () => Promise<T>, retries: Retries): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (failure) {
      await retries.after(failure);
    }
  }
}
