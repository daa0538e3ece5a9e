/** Why an attempt is aborted: the user cancelled it, or the app ends and will resume it at the next start. */
export type EndReason = 'cancelled' | 'closed';

/**
 * Makes one attempt at a job. Does not throw.
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

/** Runs one job at a time. A paused job lets other groups go first, and resumes ahead of jobs that were added later. */
export class PublishQueue {
  readonly #runJob: RunJob;
  readonly #waiting: Job[] = [];
  #running: { job: Job; attempt: AbortController; ended: Promise<void> } | null = null;
  #isClosed = false;

  constructor(runJob: RunJob) {
    this.#runJob = runJob;
  }

  /** Adds a job at the end. @param group While a job pauses, the other jobs of its group wait behind it. */
  add(id: string, group: string): void {
    this.#waiting.push({ id, group, timer: null });
    this.#next();
  }

  /** Removes a job. @returns Resolves when its running attempt has ended. */
  async cancel(id: string): Promise<void> {
    const at = this.#waiting.findIndex((job) => job.id === id);
    const [job] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (job) return this.#resume(job);
    if (this.#running?.job.id !== id) return;
    this.#running.attempt.abort('cancelled' satisfies EndReason);
    await this.#running.ended;
  }

  /** Ends all pauses now. */
  endPauses(): void {
    for (const job of this.#waiting.filter(({ timer }) => timer)) this.#resume(job);
  }

  /** Aborts the running attempt. No further job starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.splice(0)) if (timer) clearTimeout(timer);
    this.#running?.attempt.abort('closed' satisfies EndReason);
    await this.#running?.ended;
  }

  #next(): void {
    if (this.#running || this.#isClosed) return;
    const paused = new Set(this.#waiting.filter(({ timer }) => timer).map(({ group }) => group));
    const at = this.#waiting.findIndex(({ timer, group }) => !timer && !paused.has(group));
    const [job] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!job) return;
    const attempt = new AbortController();
    this.#running = { job, attempt, ended: this.#run(job, attempt.signal) };
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const pauseMs = await this.#runJob(job.id, signal);
    this.#running = null;
    if (pauseMs !== null && !signal.aborted) {
      this.#waiting.unshift(job);
      job.timer = setTimeout(() => this.#resume(job), pauseMs);
    }
    this.#next();
  }

  #resume(job: Job): void {
    if (job.timer) clearTimeout(job.timer);
    job.timer = null;
    this.#next();
  }
}
