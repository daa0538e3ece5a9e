import { counter, counters, family, gauge, gauges, histogram, type Series } from './instruments.ts';

/**
 * What the core counts in this process. Counting costs an addition: the values are read when metrics are collected, and
 * nothing here depends on how they are published. Labels have a small, fixed set of values; none names a site, an account, a
 * client or a path. `docs/monitoring.md` explains each metric.
 */

/** Series for each of some names, which are added when they are first used. The names must be few. */
function byName<N extends string>(add: (labels: Record<string, string>) => Series, label: string): (name: N) => Series {
  const series = new Map<N, Series>();
  return (name) => {
    let found = series.get(name);
    if (!found) series.set(name, (found = add({ [label]: name })));
    return found;
  };
}

export type CacheName = 'site' | 'file' | 'link' | 'content';
const CACHES: readonly CacheName[] = ['site', 'file', 'link', 'content'];

export const cacheHits = counters(
  { name: 'berth_cache_hits_total', help: 'Lookups that were answered from memory.' },
  'cache',
  CACHES,
);
export const cacheMisses = counters(
  { name: 'berth_cache_misses_total', help: 'Lookups that read the database or the disk.' },
  'cache',
  CACHES,
);
export const cacheEvictions = counters(
  { name: 'berth_cache_evictions_total', help: 'Entries that were removed to make room for others.' },
  'cache',
  CACHES,
);
export const cacheBytes = gauges(
  { name: 'berth_cache_bytes', help: 'Approximate memory of the cached entries.' },
  'cache',
  CACHES,
);

/** How a deploy ended. It is `aborted` if the client left or was too slow, and `failed` by an error of the server. */
export type DeployOutcome = 'published' | 'replayed' | 'refused' | 'aborted' | 'failed';
export const deploys = counters<DeployOutcome>(
  { name: 'berth_deploys_total', help: 'Deploys, by forms, archives and uploads, by outcome.' },
  'outcome',
  ['published', 'replayed', 'refused', 'aborted', 'failed'],
);

const addPhase = histogram(
  { name: 'berth_deploy_phase_duration_seconds', help: 'Duration of the phases of deploys.' },
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
);
const deployPhases = {
  receive: addPhase({ phase: 'receive' }),
  store: addPhase({ phase: 'store' }),
  commit: addPhase({ phase: 'commit' }),
};

/**
 * Measures consecutive phases of a deploy: its bytes arrive, they are checked and stored, its rows are committed.
 *
 * @returns A function that ends a phase, which began at the end of the previous one, or with this call.
 */
export function startPhases(): (ended: keyof typeof deployPhases) => void {
  let startedMs = performance.now();
  return (ended) => {
    const now = performance.now();
    deployPhases[ended].observe((now - startedMs) / 1000);
    startedMs = now;
  };
}

export const packsSealed = counter({ name: 'berth_packs_sealed_total', help: 'Packs that were made durable.' });
export const packBytes = counter({ name: 'berth_pack_written_bytes_total', help: 'Bytes of the sealed packs.' });

/** What the sweep removes. */
export type RemovedKind = 'expired deployment' | 'deleted deployment' | 'upload' | 'abandoned pack' | 'dead pack';
export const sweepRemoved = counters<RemovedKind>(
  { name: 'berth_sweep_removed_total', help: 'What the sweep has removed, by kind.' },
  'kind',
  ['expired deployment', 'deleted deployment', 'upload', 'abandoned pack', 'dead pack'],
);
export const sweepFenceMisses = counter({
  name: 'berth_sweep_fence_misses_total',
  help: 'Sweeps that left unreferenced packs to a later run because deploys held the fence.',
});
export const sweepStepSeconds = byName(
  family('counter', { name: 'berth_sweep_step_seconds_total', help: 'Time spent in the steps of the sweep.' }),
  'step',
);
export const sweepStepFailures = byName(
  family('counter', { name: 'berth_sweep_step_failures_total', help: 'Steps of the sweep that failed.' }),
  'step',
);

export const compactedPacks = counter({
  name: 'berth_compaction_packs_total',
  help: 'Packs that were rewritten because less than half of them was needed.',
});
export const compactionWrittenBytes = counter({
  name: 'berth_compaction_written_bytes_total',
  help: 'Bytes that the compaction wrote to new packs.',
});
export const compactionFreedBytes = counter({
  name: 'berth_compaction_freed_bytes_total',
  help: 'Bytes of the rewritten packs that their new packs do not have. The sweep removes the old packs after the grace time.',
});

export const compressedContents = counter({
  name: 'berth_compression_contents_total',
  help: 'Contents that were compressed.',
});
export const compressionSavedBytes = counter({
  name: 'berth_compression_saved_bytes_total',
  help: 'Bytes by which the smallest form of each compressed content is smaller than the content.',
});
export const compressorCrashes = counter({
  name: 'berth_compression_crashes_total',
  help: 'Crashes of the compressor process.',
});

export const passwordsRunning = gauge({
  name: 'berth_password_hashes_running',
  help: 'Passwords that are being hashed.',
});
export const passwordsWaiting = gauge({
  name: 'berth_password_hashes_waiting',
  help: 'Passwords that wait for their turn to be hashed.',
});
export const passwordsHashed = counter({ name: 'berth_password_hashes_total', help: 'Passwords that were hashed.' });
export const passwordWaitSeconds = counter({
  name: 'berth_password_hash_wait_seconds_total',
  help: 'Time that passwords waited for their turn to be hashed.',
});
export const passwordsRefused = counter({
  name: 'berth_password_hashes_refused_total',
  help: 'Passwords that were refused because the queue was full.',
});

/** Requests over a rate limit, by the name of the limit. Source: api §7. */
export const rateLimited = counters(
  { name: 'berth_rate_limited_total', help: 'Requests that were over a rate limit, by limit.' },
  'limit',
  ['global', 'deploy', 'anonymous', 'unlock', 'claim', 'signin'],
);

const addQueryDurations = histogram(
  { name: 'db_client_operation_duration_seconds', help: 'Time from sending a statement to its result.' },
  [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
);
export const queryDurations = addQueryDurations({});
export const queryFailures = counter({ name: 'berth_database_failures_total', help: 'Statements that failed.' });
export const databaseOutages = counter({
  name: 'berth_database_outages_total',
  help: 'Outages of the database, counted by each process that noticed them.',
});
export const postgresRestarts = counter({
  name: 'berth_postgres_restarts_total',
  help: 'Restarts of the embedded PostgreSQL after it ended unexpectedly.',
});

export const jobRuns = byName(
  family('counter', { name: 'berth_job_runs_total', help: 'Runs of a job, successful or not.' }),
  'berth_job',
);
export const jobFailures = byName(
  family('counter', { name: 'berth_job_failures_total', help: 'Runs of a job that failed.' }),
  'berth_job',
);
export const jobSeconds = byName(
  family('counter', { name: 'berth_job_seconds_total', help: 'Time spent in a job.' }),
  'berth_job',
);
export const jobLastSuccess = byName(
  family('gauge', {
    name: 'berth_job_last_success_timestamp_seconds',
    help: 'When a job last succeeded, or when it was started; while another server runs it, the present time.',
    aggregation: 'max',
  }),
  'berth_job',
);
export const jobsLeaseHeld = gauge({
  name: 'berth_jobs_lease_held',
  help: '1 if this server runs the jobs of which one server at a time runs each.',
});
export const jobInterval = byName(
  family('gauge', {
    name: 'berth_job_interval_seconds',
    help: 'The longest pause between two runs of a job.',
    aggregation: 'max',
  }),
  'berth_job',
);

export {
  counter,
  counters,
  family,
  gauge,
  gauges,
  histogram,
  type HistogramSeries,
  type MetricSnapshot,
  type Series,
  snapshotMetrics,
} from './instruments.ts';
