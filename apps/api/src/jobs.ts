import { setTimeout as sleep } from 'node:timers/promises';
import {
  applyDuePlanChanges,
  beat,
  compressDeployments,
  type Core,
  createCompressor,
  forgetFullBuckets,
  recheckDomains,
  sweep,
  type SweepOptions,
  toServiceError,
} from '@berth/core';

const HEARTBEAT_MS = 30_000;
const SWEEP_MS = 60_000;
const PLAN_CHANGES_MS = 60_000;
const DOMAINS_MS = 15_000;
const COMPRESSION_MS = 2_000;
/** After so many runs in which deploys kept the fence, the sweep waits for it. Source: security W1. */
const MISSES_BEFORE_WAITING = 20;
const FENCE_WAIT_MS = 2_000;

/** The work of a process beside requests. */
export interface Jobs {
  /** Lets the job at hand finish and starts no other. */
  stop(): Promise<void>;
}

/**
 * Starts the heartbeat, the sweep and what else is done by the clock. Every server runs all of it: a job beside the same
 * job of another server does no harm.
 */
export function startJobs(core: Core, options: Partial<SweepOptions>): Jobs {
  let misses = 0;
  return repeatJobs(core, [
    heartbeat(core),
    { name: 'forget rate limits', everyMs: SWEEP_MS, run: () => forgetFullBuckets(core) },
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

/** Starts what every process that takes uploads has to do itself: to say that it lives. Source: security W4. */
export function startHeartbeat(core: Core): Jobs {
  return repeatJobs(core, [heartbeat(core)]);
}

function heartbeat(core: Core): Job {
  return { name: 'heartbeat', everyMs: HEARTBEAT_MS, run: () => beat(core) };
}

/** Starts the compression of what is published. Of the processes of one server one does it. Source: serving S48. */
export function startCompression(core: Core): Jobs {
  const compressor = createCompressor();
  const jobs = repeatJobs(core, [
    {
      name: 'compress deployments',
      everyMs: COMPRESSION_MS,
      run: async (signal) => void (await compressDeployments(core, compressor, { signal })),
    },
  ]);
  return {
    async stop() {
      await jobs.stop();
      compressor.close();
    },
  };
}

interface Job {
  /** For the log. */
  name: string;
  /** The pause between two runs. */
  everyMs: number;
  /** @param stopping Says that the process is about to end. */
  run(stopping: AbortSignal): Promise<void>;
}

/** Runs each job at once and again after each pause. One that fails is logged and retried at its next turn. */
function repeatJobs({ log }: Core, jobs: readonly Job[]): Jobs {
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
  return {
    async stop() {
      stopping.abort();
      await Promise.all(turns);
    },
  };
}
