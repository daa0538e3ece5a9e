/** Throws the reason why a dependency cannot be used. */
export type Check = () => Promise<void>;

export interface CheckOptions {
  /** How long a check may take before the dependency counts as unavailable. Default 2 s. */
  timeoutMs?: number;
  /** How long a success is used. Default 1 s. */
  maxAgeMs?: number;
  /** Returns the time in milliseconds. Default: `performance.now`. */
  now?: () => number;
}

/** The result of a check: `null`, or the error of a dependency that cannot be used. */
export type CheckResult = Error | null;

/** The error of a check that takes too long. */
export class CheckTimeoutError extends Error {
  override readonly name = 'CheckTimeoutError';
}

/**
 * Runs a check on demand, however many callers there are: never twice at the same time, and after a success not again for
 * `maxAgeMs`. A check that does not end in time counts as failed, and is not started again until it ends. Source: security T42.
 */
export class CachedCheck {
  readonly #check: Check;
  readonly #timeoutMs: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #running: { started: number; result: Promise<CheckResult> } | null = null;
  #lastSuccess = -Infinity;

  constructor(check: Check, { timeoutMs = 2_000, maxAgeMs = 1_000, now = () => performance.now() }: CheckOptions = {}) {
    this.#check = check;
    this.#timeoutMs = timeoutMs;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  /** Returns a result. Takes at most `timeoutMs`. */
  async result(): Promise<CheckResult> {
    if (!this.#running && this.#now() - this.#lastSuccess < this.#maxAgeMs) return null;
    this.#running ??= { started: this.#now(), result: this.#run() };
    const { started, result } = this.#running;
    const { promise: timedOut, resolve } = Promise.withResolvers<CheckResult>();
    const remainingMs = Math.max(0, started + this.#timeoutMs - this.#now());
    const timer = setTimeout(() => resolve(new CheckTimeoutError('The check takes too long.')), remainingMs);
    return Promise.race([result, timedOut]).finally(() => clearTimeout(timer));
  }

  async #run(): Promise<CheckResult> {
    const result = await Promise.resolve()
      .then(() => this.#check())
      .then(
        () => null,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      );
    if (result === null) this.#lastSuccess = this.#now();
    this.#running = null;
    return result;
  }
}
