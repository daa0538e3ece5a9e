import type { Listener } from '../../database/listener.ts';

/** How long the cache is fresh after the database confirms that all notifications have arrived, in milliseconds. */
const MAX_FRESH_AGE_MS = 1_000;
/** The age of a confirmation at which a new one is requested, in milliseconds. The cache is still fresh at this age. */
const CONFIRM_MS = 300;

/** Decides whether a cache is fresh. The cache drops entries when the database notifies it of changes. */
export class SiteFreshness {
  readonly #changes: Listener;
  readonly #onChange: (payload: string | null) => void;
  #subscribing: Promise<void> | null = null;
  #isConfirming = false;
  #lastConfirmedAt = -Infinity;

  /** @param onChange Drops the entries that a notification names, or all entries for `null`. */
  constructor(changes: Listener, onChange: (payload: string | null) => void) {
    this.#changes = changes;
    this.#onChange = onChange;
  }

  /** True if the cache is fresh. Requests a new confirmation when a confirmation is due. */
  isFresh(): boolean {
    const { confirmedAt } = this.#changes;
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, confirmedAt);
    const ageMs = performance.now() - confirmedAt;
    if (ageMs > CONFIRM_MS && !this.#isConfirming) {
      this.#isConfirming = true;
      void this.#changes.catchUp().finally(() => (this.#isConfirming = false));
    }
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
