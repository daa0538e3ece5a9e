import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, toServiceError } from '@berth/core';
import { LeaseLostError } from '@berth/core/jobs';
import { jobFailures, jobInterval, jobLastSuccess, jobRuns, jobSeconds } from '@berth/core/metrics';
import { runAsJob } from './job-log.ts';

/** Work that a process repeats. */
export interface Job {
  name: string;
  /** The time between the starts of two runs, in milliseconds. A run that takes longer skips starts. */
  everyMs: number;
  /** A longer pause while there is nothing to do. Default: the pause is always the same. */
  whenIdle?: IdlePause;
  /** Returns how many items were processed, if there is an idle pause. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** The pause of a job that has found nothing to do for a while. */
export interface IdlePause {
  afterMs: number;
  everyMs: number;
  /** Calls a function when there may be work, which ends the pause. Other processes can add work without a call. */
  onWork(listener: () => void, signal: AbortSignal): void;
}

/**
 * Runs each job at once, and then at the multiples of `everyMs` since the start of the process. So jobs run together, and an idle
 * process wakes up less often. Logs failed runs. All lines of a run name the job.
 *
 * @param resources Disposing of it lets running jobs finish and starts no others.
 */
export function repeatJobs(core: Core, resources: AsyncDisposableStack, jobs: readonly Job[]): void {
  const stopping = new AbortController();
  const running = repeatUntil(core, jobs, stopping.signal);
  resources.defer(async () => {
    stopping.abort();
    await running;
  });
}

/** Like {@link repeatJobs}, until the signal is aborted. Resolves when no job runs any more. */
export async function repeatUntil(
  { log, tracer }: Pick<Core, 'log' | 'tracer'>,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    jobs.map(async (job) => {
      const { name, everyMs, whenIdle, run } = job;
      jobInterval(name).value = (whenIdle?.everyMs ?? everyMs) / 1_000;
      jobLastSuccess(name).value = Date.now() / 1_000;
      const pauses = new Pauses(job, signal);
      while (!signal.aborted) {
        const startedMs = performance.now();
        jobRuns(name).value += 1;
        try {
          pauses.recordRun(await runAsJob(name, () => tracer.job(name, () => run(signal))));
          jobLastSuccess(name).value = Date.now() / 1_000;
        } catch (error) {
          jobFailures(name).value += 1;
          const { code, cause } = toServiceError(error);
          // The connection to the database has already logged the outage.
          const isLogged = (code === 'unavailable' && cause === undefined) || error instanceof LeaseLostError;
          if (!isLogged)
            log.warn(
              { err: error, job: name, durationMs: Math.round(performance.now() - startedMs) },
              'A job failed and will be retried',
            );
        }
        jobSeconds(name).value += (performance.now() - startedMs) / 1_000;
        await pauses.next();
      }
    }),
  );
}

/** The pauses between the runs of a job. */
class Pauses {
  readonly #job: Job;
  readonly #signal: AbortSignal;
  #lastWorkMs = performance.now();
  /** Aborted when there may be work since the begin of the last run. */
  #work = new AbortController();

  constructor(job: Job, signal: AbortSignal) {
    this.#job = job;
    this.#signal = signal;
    job.whenIdle?.onWork(() => {
      this.#lastWorkMs = performance.now();
      this.#work.abort();
    }, signal);
  }

  /** @param processed What the run has returned. */
  recordRun(processed: unknown): void {
    if (processed !== 0) this.#lastWorkMs = performance.now();
  }

  async next(): Promise<void> {
    const { everyMs, whenIdle } = this.#job;
    const isIdle = whenIdle !== undefined && performance.now() - this.#lastWorkMs >= whenIdle.afterMs;
    const signal = isIdle ? AbortSignal.any([this.#signal, this.#work.signal]) : this.#signal;
    await pauseUntilMultiple(isIdle ? whenIdle.everyMs : everyMs, signal);
    if (this.#work.signal.aborted) this.#work = new AbortController();
  }
}

/** Waits until the age of the process is the next multiple of `everyMs`, or until the signal is aborted. Does not keep the process alive. */
export async function pauseUntilMultiple(everyMs: number, signal: AbortSignal): Promise<void> {
  await sleep(msUntilMultiple(performance.now(), everyMs), undefined, { signal, ref: false }).catch(() => {});
}

/** A timer can end this much too early, because it counts from the begin of the task that has started it. */
const MAX_EARLY_MS = 50;

/** Returns the time from an age to the next multiple of `everyMs`. Skips one so near that a timer may have ended before it. */
export function msUntilMultiple(ageMs: number, everyMs: number): number {
  const lastMultiple = Math.floor((ageMs + Math.min(MAX_EARLY_MS, everyMs / 10)) / everyMs);
  return (lastMultiple + 1) * everyMs - ageMs;
}
