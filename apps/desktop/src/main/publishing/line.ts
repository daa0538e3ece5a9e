/** Why an attempt is ended: somebody gave the publishing up, or the app ends and goes on with it at its next start. */
export type EndReason = 'cancelled' | 'closed';

/** Those that wait for their turn. One is at work at a time. */
export interface Line {
  /** Takes one in, behind the others. @param group Those of one group wait behind one of theirs that pauses. */
  add(id: string, group: string): void;
  /** Takes one out. @returns Once an attempt at work has ended. */
  cancel(id: string): Promise<void>;
  /** Every pause is over. */
  hurry(): void;
  /** Ends the attempt at work; none begins from then on. */
  close(): Promise<void>;
}

/**
 * Makes an attempt. It does not throw.
 *
 * @param signal Aborted, with an {@link EndReason}, when it is to end.
 * @returns How long to pause before the next one, in milliseconds; `null` when there is none.
 */
export type Attempt = (id: string, signal: AbortSignal) => Promise<number | null>;

interface Waiting {
  id: string;
  group: string;
  /** Pauses: `null` for one that waits for its turn alone. */
  timer: NodeJS.Timeout | null;
}

/** Who pauses lets those of other groups go first, and comes back before those that came later. */
export function createLine(attempt: Attempt): Line {
  const waiting: Waiting[] = [];
  let working: { one: Waiting; gaveUp: AbortController; ended: Promise<void> } | null = null;
  let isClosed = false;

  function next(): void {
    if (working || isClosed) return;
    const paused = new Set(waiting.filter(({ timer }) => timer).map(({ group }) => group));
    const at = waiting.findIndex(({ timer, group }) => !timer && !paused.has(group));
    const [one] = at < 0 ? [] : waiting.splice(at, 1);
    if (!one) return;
    const gaveUp = new AbortController();
    working = { one, gaveUp, ended: work(one, gaveUp.signal) };
  }

  async function work(one: Waiting, signal: AbortSignal): Promise<void> {
    const pauseMs = await attempt(one.id, signal);
    working = null;
    if (pauseMs !== null && !signal.aborted) {
      waiting.unshift(one);
      one.timer = setTimeout(() => resume(one), pauseMs);
    }
    next();
  }

  function resume(one: Waiting): void {
    if (one.timer) clearTimeout(one.timer);
    one.timer = null;
    next();
  }

  return {
    add(id, group) {
      waiting.push({ id, group, timer: null });
      next();
    },
    async cancel(id) {
      const at = waiting.findIndex((one) => one.id === id);
      const [one] = at < 0 ? [] : waiting.splice(at, 1);
      if (one) return resume(one);
      if (working?.one.id !== id) return;
      working.gaveUp.abort('cancelled' satisfies EndReason);
      await working.ended;
    },
    hurry() {
      for (const one of waiting.filter(({ timer }) => timer)) resume(one);
    },
    async close() {
      isClosed = true;
      for (const { timer } of waiting.splice(0)) if (timer) clearTimeout(timer);
      working?.gaveUp.abort('closed' satisfies EndReason);
      await working?.ended;
    },
  };
}
