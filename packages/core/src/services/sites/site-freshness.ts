import type { Listener } from '../../database/listener.ts';

/** How long the cache counts as fresh after the database has confirmed that all notifications have arrived. */
const FRESH_MS = 1_000;
/** The age at which a new confirmation is requested. The cache stays fresh meanwhile. */
const CONFIRM_MS = 300;

/** Whether a cache that drops entries on notifications of the database can be used. */
export class SiteFreshness {
  readonly #changes: Listener;
  readonly #onChange: (payload: string | null) => void;
  #subscribing: Promise<void> | null = null;
  #isConfirming = false;
  #lastConfirmedAt = -Infinity;

  /** @param onChange Drops what a notification concerns, or everything for `null`. */
  constructor(changes: Listener, onChange: (payload: string | null) => void) {
    this.#changes = changes;
    this.#onChange = onChange;
  }

  /** True if the cache is fresh now. Requests a new confirmation when one is due. */
  isFresh(): boolean {
    const { confirmedAt } = this.#changes;
    this.#lastConfirmedAt = Math.max(this.#lastConfirmedAt, confirmedAt);
    const ageMs = performance.now() - confirmedAt;
    if (ageMs > CONFIRM_MS && !this.#isConfirming) {
      this.#isConfirming = true;
      void this.#changes.catchUp().finally(() => (this.#isConfirming = false));
    }
    return ageMs <= FRESH_MS;
  }

  /** Waits until the cache is fresh. @returns False if it cannot be confirmed, so that the database must be queried. */
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

  /** The time since the cache was last known to match the database, in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#lastConfirmedAt;
  }
}
