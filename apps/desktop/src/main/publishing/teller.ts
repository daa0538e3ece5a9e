/** A throttled notification about a state that changes often. */
export interface Teller {
  atOnce(): void;
  /** Notifies on the next tick, or, if the last notification was recent, together with later changes. */
  soon(): void;
  /** No further notifications. */
  close(): void;
}

/** @param everyMs The shortest time before a notification by `soon`, in milliseconds. */
export function createTeller(tell: () => void, everyMs: number): Teller {
  let timer: NodeJS.Timeout | null = null;
  let last = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function atOnce(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (isClosed) return;
    last = performance.now();
    tell();
  }

  return {
    atOnce,
    soon() {
      timer ??= setTimeout(atOnce, Math.max(0, last + everyMs - performance.now()));
    },
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
