/** Limits how often an event about a frequently changing state is emitted. */
export class ThrottledEvent {
  readonly #emit: () => void;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #lastEmitted = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param everyMs The shortest time between two events, in milliseconds. {@link emitNow} ignores this limit. */
  constructor(emit: () => void, everyMs: number) {
    this.#emit = emit;
    this.#everyMs = everyMs;
  }

  emitNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isClosed) return;
    this.#lastEmitted = performance.now();
    this.#emit();
  }

  /** Emits the event as soon as the limit allows. Calls until then share one event. */
  emitSoon(): void {
    this.#timer ??= setTimeout(
      () => this.emitNow(),
      Math.max(0, this.#lastEmitted + this.#everyMs - performance.now()),
    );
  }

  /** Prevents further events. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
