/** Tells of a state that changes often. */
export interface Teller {
  atOnce(): void;
  /** At once when nothing was told for a while; else with what follows meanwhile. */
  soon(): void;
  /** Nothing is told from then on. */
  close(): void;
}

/** @param everyMs What can wait is told no more often than this, in milliseconds. */
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
