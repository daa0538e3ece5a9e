/** A throttled notification about a state that changes often. */
export interface ThrottledEvent {
  emitNow(): void;
  /** Notifies on the next tick, or, if the last notification was recent, together with later changes. */
  emitSoon(): void;
  /** No further notifications. */
  close(): void;
}

/** @param everyMs The shortest time before a notification by `emitSoon`, in milliseconds. */
export function createThrottledEvent(emit: () => void, everyMs: number): ThrottledEvent {
  let timer: NodeJS.Timeout | null = null;
  let last = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  function emitNow(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (isClosed) return;
    last = performance.now();
    emit();
  }

  return {
    emitNow,
    emitSoon() {
      timer ??= setTimeout(emitNow, Math.max(0, last + everyMs - performance.now()));
    },
    close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
    },
  };
}
