import { statfs } from 'node:fs/promises';
import { countPendingWork, type Core } from '@berth/core';
import { counter, family, gauge, gauges } from '@berth/core/metrics';
import type { Dependency, Health } from '../health/health.ts';
import { VERSION } from '../version.ts';

const PENDING_WORK_TIMEOUT_MS = 1_000;

const ready = gauge({ name: 'berth_ready', help: '1 if the server is ready, as /readyz reports it.' });
const dependencyUp = gauges<Dependency>(
  { name: 'berth_dependency_up', help: '1 if a dependency can be used; 0 if not, or before the server serves.' },
  'dependency',
  ['database', 'storage', 'workers'],
);
const diskFree = gauge({
  name: 'berth_disk_free_bytes',
  help: 'Space on the disk of DATA_DIR that the server may use.',
});
const diskSize = gauge({ name: 'berth_disk_size_bytes', help: 'Size of the disk of DATA_DIR.' });
const compressionQueue = gauge({
  name: 'berth_compression_queue_length',
  help: 'Deployments that wait to be compressed. Keeps its value while the database is unavailable.',
});
const openUploads = gauge({
  name: 'berth_uploads_open',
  help: 'Uploads that were begun and not committed. Keeps its value while the database is unavailable.',
});

/** Workers that ended unexpectedly and were replaced. */
export const workerRestarts = counter({
  name: 'berth_worker_restarts_total',
  help: 'Workers that ended unexpectedly and were replaced.',
});

const buildInfo = family('gauge', {
  name: 'berth_build_info',
  help: 'Always 1; the labels describe the program.',
  aggregation: 'max',
});
buildInfo({
  version: VERSION,
  node: process.versions.node,
}).value = 1;

export interface ServerParts {
  /** `null` while the server is starting. */
  core: Core | null;
  health: Health;
  dataDir: string;
}

/** Reads what concerns the whole server, which its first process publishes. Takes at most about 2 s. */
export async function readServer({ core, health, dataDir }: ServerParts): Promise<void> {
  await Promise.all([readHealth(health), readDisk(dataDir), core && readPendingWork(core)]);
}

async function readHealth(health: Health): Promise<void> {
  const { isReady, states } = await health.readiness();
  ready.value = Number(isReady);
  for (const [dependency, series] of Object.entries(dependencyUp) as [Dependency, { value: number }][])
    series.value = Number(states[dependency] === 'ok');
}

/** Keeps the last values if the disk cannot be read; the dependency `storage` then is down. */
async function readDisk(dataDir: string): Promise<void> {
  const stats = await statfs(dataDir).catch(() => null);
  if (!stats) return;
  diskFree.value = stats.bavail * stats.bsize;
  diskSize.value = stats.blocks * stats.bsize;
}

async function readPendingWork(core: Core): Promise<void> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, PENDING_WORK_TIMEOUT_MS, null);
  const pending = await Promise.race([countPendingWork(core).catch(() => null), tooLate]);
  clearTimeout(timer);
  if (!pending) return;
  compressionQueue.value = pending.compressions;
  openUploads.value = pending.uploads;
}
