import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, toServiceError } from '@berth/core';
import { LeaseLostError } from '@berth/core/jobs';
import { jobFailures, jobInterval, jobLastSuccess, jobRuns, jobSeconds } from '@berth/core/metrics';
import { runAsJob } from './job-log.ts';

/** Work that a process repeats. */
export interface Job {
  name: string;
  /** The pause between two runs, in milliseconds. */
  everyMs: number;
  run(stopping: AbortSignal): Promise<unknown>;
}

/**
 * Runs each job at once, and again `everyMs` after each run. Logs failed runs. All lines of a run name the job.
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
    jobs.map(async ({ name, everyMs, run }) => {
      jobInterval(name).value = everyMs / 1_000;
      jobLastSuccess(name).value = Date.now() / 1_000;
      while (!signal.aborted) {
        const startedMs = performance.now();
        jobRuns(name).value += 1;
        try {
          await runAsJob(name, () => tracer.job(name, () => run(signal)));
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
        await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }),
  );
}
