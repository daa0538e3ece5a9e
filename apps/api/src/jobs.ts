import { setTimeout as sleep } from 'node:timers/promises';
import {
  applyDuePlanChanges,
  beat,
  type Core,
  forgetFullBuckets,
  recheckDomains,
  sweep,
  type SweepOptions,
} from '@berth/core';

const HEARTBEAT_MS = 30_000;
const SWEEP_MS = 60_000;
const PLAN_CHANGES_MS = 60_000;
const DOMAINS_MS = 15_000;
/** After so many runs in which deploys kept the fence, the sweep waits for it. Source: security W1. */
const MISSES_BEFORE_WAITING = 20;
const FENCE_WAIT_MS = 2_000;

/** The work of a server process beside requests. */
export interface Jobs {
  /** Lets the job at hand finish and starts no other. */
  stop(): Promise<void>;
}

/**
 * Starts the heartbeat, the sweep and what else is done by the clock. Every process runs all of it: a job beside the same
 * job of another process does no harm.
 *
 * A job that fails is logged and tried again at its next turn.
 */
export function startJobs(core: Core, options: Partial<SweepOptions>): Jobs {
  const stopping = new AbortController();
  let misses = 0;
  const jobs = [
    repeat(HEARTBEAT_MS, () => beat(core)),
    repeat(SWEEP_MS, () => forgetFullBuckets(core)),
    repeat(DOMAINS_MS, async () => void (await recheckDomains(core, { signal: stopping.signal }))),
    repeat(PLAN_CHANGES_MS, async () => {
      const applied = await applyDuePlanChanges(core);
      if (applied > 0) core.log.info({ applied }, 'Downgrades took effect');
    }),
    repeat(SWEEP_MS, async () => {
      const report = await sweep(core, {
        ...options,
        fenceWaitMs: misses >= MISSES_BEFORE_WAITING ? FENCE_WAIT_MS : 0,
      });
      misses = report.fenced ? 0 : misses + 1;
      if (report.expired + report.deployments + report.packs > 0) core.log.info({ ...report }, 'Swept');
    }),
  ];

  async function repeat(intervalMs: number, job: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await job();
      } catch (error) {
        core.log.warn({ err: error }, 'A job failed and will be tried again');
      }
      await sleep(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  return {
    async stop() {
      stopping.abort();
      await Promise.all(jobs);
    },
  };
}
