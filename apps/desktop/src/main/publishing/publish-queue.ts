/** Why an attempt is aborted: the user cancelled the job, or the app quits and resumes the job at the next start. */
export type EndReason = 'cancelled' | 'closed';

/**
 * Makes one attempt at a job. Does not throw.
 *
 * @param signal Aborted with an {@link EndReason}.
 * @returns The pause before the next attempt, in milliseconds; `null` if there is no next attempt.
 */
export type RunJob = (id: string, signal: AbortSignal) => Promise<number | null>;

interface Job {
  id: string;
  group: string;
  /** The timer of the job's pause; `null` if the job is not paused. */
  timer: NodeJS.Timeout | null;
}

/** Runs one job at a time. While a job is paused, jobs of other groups run. It resumes ahead of jobs that were added later. */
export class PublishQueue {
  readonly #runJob: RunJob;
  readonly #waiting: Job[] = [];
  #running: { job: Job; attempt: AbortController; ended: Promise<void> } | null = null;
  #isClosed = false;

  constructor(runJob: RunJob) {
    this.#runJob = runJob;
  }

  /** Adds a job at the end of the queue. @param group While a job is paused, the other jobs of its group wait. */
  add(id: string, group: string): void {
    this.#waiting.push({ id, group, timer: null });
    this.#next();
  }

  /** Removes a job. @returns Resolves when the job's running attempt has ended. */
  async cancel(id: string): Promise<void> {
    const job = this.#takeFirst((waiting) => waiting.id === id);
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
    const job = this.#takeFirst(({ timer, group }) => !timer && !paused.has(group));
    if (!job) return;
    const attempt = new AbortController();
    this.#running = { job, attempt, ended: this.#run(job, attempt.signal) };
  }

  #takeFirst(matches: (job: Job) => boolean): Job | undefined {
    const index = this.#waiting.findIndex(matches);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
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
