/** A throttled notification about a state that changes often. */
export class ThrottledEvent {
  readonly #emit: () => void;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param everyMs The shortest time before a notification by {@link emitSoon}, in milliseconds. */
  constructor(emit: () => void, everyMs: number) {
    this.#emit = emit;
    this.#everyMs = everyMs;
  }

  emitNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed) return;
    this.#last = performance.now();
    this.#emit();
  }

  /** Notifies on the next tick, or, if the last notification was recent, together with later changes. */
  emitSoon(): void {
    this.#timer ??= setTimeout(() => this.emitNow(), Math.max(0, this.#last + this.#everyMs - performance.now()));
  }

  /** No further notifications. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
