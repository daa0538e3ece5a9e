import { setTimeout as sleep } from 'node:timers/promises';
import { type Core, recordHeartbeat, toServiceError } from '@berth/core';
import {
  applyDuePlanChanges,
  compressDeployments,
  createCompressor,
  deleteFullBuckets,
  recheckDomains,
  sweep,
  type SweepOptions,
} from '@berth/core/jobs';

const HEARTBEAT_MS = 30_000;
const SWEEP_MS = 60_000;
const PLAN_CHANGES_MS = 60_000;
const DOMAINS_MS = 15_000;
const COMPRESSION_MS = 2_000;
/** After this many runs in which deploys held the fence, the sweep waits for it. Source: storage W1. */
const MISSES_BEFORE_WAITING = 20;
const FENCE_WAIT_MS = 2_000;

/**
 * Starts the heartbeat, the sweep and the other periodic jobs. Every server runs all of them: servers that run the same
 * job at the same time do no harm.
 *
 * @param resources Stops the jobs when it is disposed of: running jobs finish, and no others start.
 */
export function startJobs(core: Core, resources: AsyncDisposableStack, options: Partial<SweepOptions>): void {
  let misses = 0;
  repeatJobs(core, resources, [
    heartbeat(core),
    { name: 'forget rate limits', everyMs: SWEEP_MS, run: () => deleteFullBuckets(core) },
    {
      name: 'check domains',
      everyMs: DOMAINS_MS,
      run: async (signal) => void (await recheckDomains(core, { signal })),
    },
    {
      name: 'apply plan changes',
      everyMs: PLAN_CHANGES_MS,
      async run(signal) {
        const applied = await applyDuePlanChanges(core, { signal });
        if (applied > 0) core.log.info({ applied }, 'Downgrades took effect');
      },
    },
    {
      name: 'sweep',
      everyMs: SWEEP_MS,
      async run(signal) {
        const report = await sweep(core, {
          ...options,
          signal,
          fenceWaitMs: misses >= MISSES_BEFORE_WAITING ? FENCE_WAIT_MS : 0,
        });
        misses = report.fenced ? 0 : misses + 1;
        if (report.expired + report.deployments + report.packs > 0) core.log.info({ ...report }, 'Swept');
      },
    },
  ]);
}

/** Starts the job that every process that accepts uploads must run itself: its heartbeat. Source: storage W4. */
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
  const run = async (signal: AbortSignal) => void (await compressDeployments(core, compressor, { signal }));
  repeatJobs(core, resources, [{ name: 'compress deployments', everyMs: COMPRESSION_MS, run }]);
}

interface Job {
  /** For the log. */
  name: string;
  /** The pause between two runs. */
  everyMs: number;
  /** @param stopping Aborted when the process is about to end. */
  run(stopping: AbortSignal): Promise<void>;
}

/** Runs each job at once and then again after each pause. A failed run is logged and retried after the pause. */
function repeatJobs({ log }: Core, resources: AsyncDisposableStack, jobs: readonly Job[]): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const turns = jobs.map(async ({ name, everyMs, run }) => {
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        const { code, cause } = toServiceError(error);
        // An outage of the database is logged once, not by each job.
        const isKnown = code === 'unavailable' && cause === undefined;
        if (!isKnown) log.warn({ err: error, job: name }, 'A job failed and will be retried');
      }
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
    }
  });
  resources.defer(async () => {
    stopping.abort();
    await Promise.all(turns);
  });
}
