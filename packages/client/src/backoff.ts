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
