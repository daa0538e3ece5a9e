/** Why an attempt is aborted: the user cancelled it, or the app ends and will resume it at the next start. */
export type EndReason = 'cancelled' | 'closed';

/** The publish queue. Runs job job at a time. */
export interface PublishQueue {
  /** Adds a job at the end. @param group While a job pauses, the other jobs of its group wait behind it. */
  add(id: string, group: string): void;
  /** Removes a job. @returns Resolves when its running attempt has ended. */
  cancel(id: string): Promise<void>;
  /** Ends all pauses now. */
  endPauses(): void;
  /** Aborts the running attempt. No further job starts. */
  close(): Promise<void>;
}

/**
 * Makes job attempt at a job. Does not throw.
 *
 * @param signal Aborted with an {@link EndReason} when the attempt must end.
 * @returns The pause before the next attempt, in milliseconds; `null` if there is no next attempt.
 */
export type RunJob = (id: string, signal: AbortSignal) => Promise<number | null>;

interface Job {
  id: string;
  group: string;
  /** The timer of its pause; `null` if it does not pause. */
  timer: NodeJS.Timeout | null;
}

/** Creates a queue. A paused job lets other groups go first, and resumes ahead of jobs that were added later. */
export function createPublishQueue(runJob: RunJob): PublishQueue {
  const waiting: Job[] = [];
  let running: { job: Job; attempt: AbortController; ended: Promise<void> } | null = null;
  let isClosed = false;

  function next(): void {
    if (running || isClosed) return;
    const paused = new Set(waiting.filter(({ timer }) => timer).map(({ group }) => group));
    const at = waiting.findIndex(({ timer, group }) => !timer && !paused.has(group));
    const [job] = at < 0 ? [] : waiting.splice(at, 1);
    if (!job) return;
    const attempt = new AbortController();
    running = { job, attempt, ended: run(job, attempt.signal) };
  }

  async function run(job: Job, signal: AbortSignal): Promise<void> {
    const pauseMs = await runJob(job.id, signal);
    running = null;
    if (pauseMs !== null && !signal.aborted) {
      waiting.unshift(job);
      job.timer = setTimeout(() => resume(job), pauseMs);
    }
    next();
  }

  function resume(job: Job): void {
    if (job.timer) clearTimeout(job.timer);
    job.timer = null;
    next();
  }

  return {
    add(id, group) {
      waiting.push({ id, group, timer: null });
      next();
    },
    async cancel(id) {
      const at = waiting.findIndex((job) => job.id === id);
      const [job] = at < 0 ? [] : waiting.splice(at, 1);
      if (job) return resume(job);
      if (running?.job.id !== id) return;
      running.attempt.abort('cancelled' satisfies EndReason);
      await running.ended;
    },
    endPauses() {
      for (const job of waiting.filter(({ timer }) => timer)) resume(job);
    },
    async close() {
      isClosed = true;
      for (const { timer } of waiting.splice(0)) if (timer) clearTimeout(timer);
      running?.attempt.abort('closed' satisfies EndReason);
      await running?.ended;
    },
  };
}
