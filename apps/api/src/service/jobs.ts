import { type Core, recordHeartbeat } from '@berth/core';
import {
  applyDuePlanChanges,
  compressDeployments,
  createChangeTrimmer,
  createCompressor,
  deleteExpiredSignIns,
  deleteFullBuckets,
  readFrontPages,
  recheckDomains,
  removeOwnAbandonedPacks,
  sweep,
  type SweepOptions,
} from '@berth/core/jobs';
import { type IdlePause, type Job, repeatJobs } from './repeat-jobs.ts';
import { runWhileLeased } from './leased-jobs.ts';

const HEARTBEAT_MS = 30_000;
const OWN_PACKS_MS = 60_000;
const SWEEP_MS = 60_000;
const PLAN_CHANGES_MS = 60_000;
const DOMAINS_MS = 15_000;
const FRONT_PAGES_MS = 1_000;
const COMPRESSION_MS = 2_000;
/** Jobs on new deployments are idle after a minute without one. They still run, because another process can publish. */
const IDLE_AFTER_MS = 60_000;
const IDLE_FRONT_PAGES_MS = 5_000;
const IDLE_COMPRESSION_MS = 10_000;
/** After deploys held the fence in this many runs of the sweep, the next run waits for it. Source: storage W1. */
const MISSES_BEFORE_WAITING = 20;
const FENCE_WAIT_MS = 2_000;

/**
 * Starts the sweep and the other periodic jobs of which one server at a time runs each. They run while this process has the lease
 * for them.
 *
 * @param resources Disposing of it lets running jobs finish, starts no others and releases the lease.
 */
export function startJobs(core: Core, resources: AsyncDisposableStack, options: Partial<SweepOptions>): void {
  runWhileLeased(core, resources, (leasedCore) => leasedJobs(leasedCore, options));
}

function leasedJobs(core: Core, options: Partial<SweepOptions>): Job[] {
  let misses = 0;
  const trimChanges = createChangeTrimmer();
  return [
    { name: 'delete full rate limit buckets', everyMs: SWEEP_MS, run: () => deleteFullBuckets(core) },
    { name: 'delete old changes', everyMs: SWEEP_MS, run: () => trimChanges(core) },
    { name: 'delete expired sessions', everyMs: SWEEP_MS, run: () => deleteExpiredSignIns(core) },
    {
      name: 'read front pages',
      everyMs: FRONT_PAGES_MS,
      whenIdle: idlePause(core, IDLE_FRONT_PAGES_MS),
      run: (signal) => readFrontPages(core, { signal }),
    },
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
        if (report.expired + report.deployments + report.packs + report.compacted > 0)
          core.log.info({ ...report, ...durationSince(start) }, 'Swept');
      },
    },
  ];
}

/** Starts the jobs that every process must run: its heartbeat, and the removal of its own abandoned packs. Source: storage W4. */
export function startHeartbeat(core: Core, resources: AsyncDisposableStack): void {
  const heartbeat = async () => {
    await core.database.clock.measure();
    await recordHeartbeat(core);
  };
  repeatJobs(core, resources, [
    { name: 'heartbeat', everyMs: HEARTBEAT_MS, run: heartbeat },
    { name: 'remove abandoned packs', everyMs: OWN_PACKS_MS, run: (signal) => removeOwnAbandonedPacks(core, signal) },
  ]);
}

/** Starts the compression of published files. One process of a server runs it. Source: serving S48. */
export function startCompression(core: Core, resources: AsyncDisposableStack): void {
  const compressor = createCompressor();
  resources.defer(() => compressor.close());
  const run = (signal: AbortSignal) => compressDeployments(core, compressor, { signal });
  const whenIdle = idlePause(core, IDLE_COMPRESSION_MS);
  repeatJobs(core, resources, [{ name: 'compress deployments', everyMs: COMPRESSION_MS, whenIdle, run }]);
}

function idlePause({ published }: Core, everyMs: number): IdlePause {
  return {
    afterMs: IDLE_AFTER_MS,
    everyMs,
    onWork(listener, signal) {
      published.on('deployment', listener);
      signal.addEventListener('abort', () => published.off('deployment', listener), { once: true });
    },
  };
}

function durationSince(start: number): { durationMs: number } {
  return { durationMs: Math.round(performance.now() - start) };
}
