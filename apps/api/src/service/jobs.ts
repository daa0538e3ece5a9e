import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, recordHeartbeat, toServiceError } from '@berth/core';
import {
  applyDuePlanChanges,
  compressDeployments,
  createCompressor,
  deleteExpiredSignIns,
  deleteFullBuckets,
  readFrontPages,
  recheckDomains,
  sweep,
  type SweepOptions,
} from '@berth/core/jobs';
import { jobFailures, jobInterval, jobLastSuccess, jobRuns, jobSeconds } from '@berth/core/metrics';
import { runAsJob } from './job-log.ts';

const HEARTBEAT_MS = 30_000;
const SWEEP_MS = 60_000;
const PLAN_CHANGES_MS = 60_000;
const DOMAINS_MS = 15_000;
const FRONT_PAGES_MS = 1_000;
const COMPRESSION_MS = 2_000;
/** After deploys held the fence in this many runs of the sweep, the next run waits for it. Source: storage W1. */
const MISSES_BEFORE_WAITING = 20;
const FENCE_WAIT_MS = 2_000;

/**
 * Starts the heartbeat, the sweep and the other periodic jobs. Several servers may run the same job at the same time.
 *
 * @param resources Disposing of it lets running jobs finish and starts no others.
 */
export function startJobs(core: Core, resources: AsyncDisposableStack, options: Partial<SweepOptions>): void {
  let misses = 0;
  repeatJobs(core, resources, [
    heartbeat(core),
    { name: 'delete full rate limit buckets', everyMs: SWEEP_MS, run: () => deleteFullBuckets(core) },
    { name: 'delete expired sessions', everyMs: SWEEP_MS, run: () => deleteExpiredSignIns(core) },
    { name: 'read front pages', everyMs: FRONT_PAGES_MS, run: (signal) => readFrontPages(core, { signal }) },
    { name: 'check domains', everyMs: DOMAINS_MS, run: (signal) => recheckDomains(core, { signal }) },
    {
      name: 'apply plan changes',
      everyMs: PLAN_CHANGES_MS,
      async run(signal) {
        const start = performance.now();
        const appliedChanges = await applyDuePlanChanges(core, { signal });
        if (appliedChanges > 0)
          core.log.info({ applied: appliedChanges, ...durationSince(start) }, 'Downgrades took effect');
      },
    },
    {
      name: 'sweep',
      everyMs: SWEEP_MS,
      async run(signal) {
        const fenceWaitMs = misses >= MISSES_BEFORE_WAITING ? FENCE_WAIT_MS : 0;
        const start = performance.now();
        const report = await sweep(core, { ...options, signal, fenceWaitMs });
        misses = report.fenced ? 0 : misses + 1;
        if (report.expired + report.deployments + report.packs > 0)
          core.log.info({ ...report, ...durationSince(start) }, 'Swept');
      },
    },
  ]);
}

/** Starts the heartbeat. Every process that accepts uploads must run it. Source: storage W4. */
export function startHeartbeat(core: Core, resources: AsyncDisposableStack): void {
  repeatJobs(core, resources, [heartbeat(core)]);
}

function heartbeat(core: Core): Job {
  return { name: 'heartbeat', everyMs: HEARTBEAT_MS, run: () => recordHeartbeat(core) };
}

/** Starts the compression of published files. One process of a server runs it. Source: serving S48. */
export function startCompression(core: Core, resources: AsyncDisposableStack): void {
  const compressor = createCompressor();
  resources.defer(() => compressor.close());
  const run = (signal: AbortSignal) => compressDeployments(core, compressor, { signal });
  repeatJobs(core, resources, [{ name: 'compress deployments', everyMs: COMPRESSION_MS, run }]);
}

interface Job {
  name: string;
  everyMs: number;
  run(stopping: AbortSignal): Promise<unknown>;
}

function durationSince(start: number): { durationMs: number } {
  return { durationMs: Math.round(performance.now() - start) };
}

/** Runs each job at once, and again `everyMs` after each run. Logs failed runs. All lines of a run name the job. */
function repeatJobs({ log, tracer }: Core, resources: AsyncDisposableStack, jobs: readonly Job[]): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const jobLoops = jobs.map(async ({ name, everyMs, run }) => {
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
        const isLogged = code === 'unavailable' && cause === undefined;
        if (!isLogged)
          log.warn({ err: error, job: name, ...durationSince(startedMs) }, 'A job failed and will be retried');
      }
      jobSeconds(name).value += (performance.now() - startedMs) / 1_000;
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  });
  resources.defer(async () => {
    stopping.abort();
    await Promise.all(jobLoops);
  });
}
