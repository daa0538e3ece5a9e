/** Why an attempt is aborted: the user cancelled it, or the app ends and will resume it at the next start. */
export type EndReason = 'cancelled' | 'closed';

/** The publish queue. Runs one job at a time. */
export interface Line {
  /** Adds a job at the end. @param group While a job pauses, the other jobs of its group wait behind it. */
  add(id: string, group: string): void;
  /** Removes a job. @returns Resolves when its running attempt has ended. */
  cancel(id: string): Promise<void>;
  /** Ends all pauses now. */
  hurry(): void;
  /** Aborts the running attempt. No further one starts. */
  close(): Promise<void>;
}

/**
 * Makes one attempt at a job. Does not throw.
 *
 * @param signal Aborted with an {@link EndReason} when the attempt must end.
 * @returns The pause before the next attempt, in milliseconds; `null` if there is no next attempt.
 */
export type Attempt = (id: string, signal: AbortSignal) => Promise<number | null>;

interface Waiting {
  id: string;
  group: string;
  /** The timer of its pause; `null` if it does not pause. */
  timer: NodeJS.Timeout | null;
}

/** Creates a queue. A paused job lets other groups go first, and resumes ahead of jobs that were added later. */
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
