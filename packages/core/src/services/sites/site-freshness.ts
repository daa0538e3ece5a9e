import type { Changes } from '../../database/change-log.ts';
import type { Change } from '../../database/change-reader.ts';

/** How long the cache is fresh after the change log was read, in milliseconds. */
const MAX_FRESH_AGE_MS = 1_000;
/** The age from which a visit keeps the log polled, in milliseconds. It is less than the interval of polls. */
const KEEP_POLLING_AGE_MS = 50;

/** Decides whether a cache is fresh. The cache drops entries when the change log names them. */
export class SiteFreshness {
  readonly #changes: Changes;
  readonly #onChange: (change: Change | null) => void;
  #subscribing: Promise<void> | null = null;
  #lastConfirmedAt = -Infinity;

  /** @param onChange Drops the entries that a change concerns, or all entries for `null`. */
  constructor(changes: Changes, onChange: (change: Change | null) => void) {
    this.#changes = changes;
    this.#onChange = onChange;
  }

  /** True if the cache is fresh. Keeps the change log polled. */
  isFresh(): boolean {
    const { confirmedAt } = this.#changes;
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, confirmedAt);
    const ageMs = performance.now() - confirmedAt;
    if (ageMs > KEEP_POLLING_AGE_MS && this.#subscribing) this.#changes.keepPolling();
    return ageMs <= MAX_FRESH_AGE_MS;
  }

  /** Waits until the cache is fresh. @returns False if it stays stale, so that the database must be queried. */
  async ensureFresh(): Promise<boolean> {
    // Entries that were loaded before the subscription started may be stale.
    this.#subscribing ??= this.#changes.subscribe(this.#onChange).then(() => this.#onChange(null));
    try {
      await this.#subscribing;
    } catch {
      this.#subscribing = null;
      return false;
    }
    return this.isFresh() || this.#changes.catchUp();
  }

  get ageMs(): number {
    return performance.now() - this.#lastConfirmedAt;
  }
}
