import { readdir } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Core } from '@berth/core';
import { family, gauge, gauges, type MetricSnapshot, snapshotMetrics } from '@berth/core/metrics';

const DELAY_RESOLUTION_MS = 20;
const PERCENTILES = { p50: 50, p99: 99, max: 100 } as const;
const NS_PER_S = 1e9;
const US_PER_S = 1e6;

/** A gauge or counter with one series for each process. */
const ofProcess = (type: 'counter' | 'gauge', name: string, help: string) =>
  family(type, { name, help, aggregation: 'each' })({});

const eventLoopDelay = {
  p50: ofProcess(
    'gauge',
    'nodejs_eventloop_delay_p50_seconds',
    'Median delay of the event loop since the last scrape.',
  ),
  p99: ofProcess(
    'gauge',
    'nodejs_eventloop_delay_p99_seconds',
    '99th percentile of the delay of the event loop since the last scrape.',
  ),
  max: ofProcess(
    'gauge',
    'nodejs_eventloop_delay_max_seconds',
    'Longest delay of the event loop since the last scrape.',
  ),
};
const eventLoopUtilization = ofProcess(
  'gauge',
  'nodejs_eventloop_utilization_ratio',
  'Share of the time since the last scrape in which the event loop was busy.',
);
const cpuSeconds = ofProcess('counter', 'process_cpu_seconds_total', 'CPU time of the process.');
const startTime = ofProcess('gauge', 'process_start_time_seconds', 'When the process started.');
const residentBytes = ofProcess('gauge', 'process_resident_memory_bytes', 'Resident memory of the process.');
const heapBytes = ofProcess('gauge', 'nodejs_heap_size_used_bytes', 'Used part of the heap of JavaScript.');
const externalBytes = ofProcess('gauge', 'nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.');
const openDescriptors = ofProcess(
  'gauge',
  'process_open_fds',
  'Open file descriptors; 0 where they cannot be counted.',
);

const connections = gauges(
  { name: 'db_client_connections', help: 'Connections to the database for statements.' },
  'db_client_connection_state',
  ['used', 'idle'],
);
const waitingForConnection = gauge({
  name: 'db_client_connection_pending_requests',
  help: 'Statements and transactions that wait for a connection.',
});
const maxConnections = gauge({ name: 'db_client_connection_max', help: 'How many connections may be open.' });
const lostChangeLogs = gauge({
  name: 'berth_change_log_lost',
  help: 'Processes that cannot read the change log of the database.',
});
const openPacks = gauge({ name: 'berth_packs_open', help: 'Packs that are being filled.' });

let delays: IntervalHistogram | null = null;
let utilizationBefore = performance.eventLoopUtilization();

/**
 * Returns all metrics of this process. The delays of the event loop are measured from the first call on.
 *
 * @param core `null` while the process is starting.
 */
export async function snapshotProcess(core: Core | null): Promise<MetricSnapshot[]> {
  readEventLoop();
  await readProcess();
  if (core) await readCore(core);
  return snapshotMetrics();
}

function readEventLoop(): void {
  if (delays === null) {
    delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
    delays.enable();
  }
  for (const [name, percentile] of Object.entries(PERCENTILES) as [keyof typeof PERCENTILES, number][])
    // The timer itself takes the resolution; only what exceeds it is a delay.
    eventLoopDelay[name].value =
      delays.count === 0 ? 0 : Math.max(0, delays.percentile(percentile) / NS_PER_S - DELAY_RESOLUTION_MS / 1_000);
  delays.reset();
  const utilizationNow = performance.eventLoopUtilization();
  eventLoopUtilization.value = performance.eventLoopUtilization(utilizationNow, utilizationBefore).utilization;
  utilizationBefore = utilizationNow;
}

async function readProcess(): Promise<void> {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  cpuSeconds.value = (user + system) / US_PER_S;
  startTime.value = performance.timeOrigin / 1_000;
  residentBytes.value = rss;
  heapBytes.value = heapUsed;
  externalBytes.value = external;
  openDescriptors.value = await readdir('/proc/self/fd').then(
    (names) => names.length,
    () => 0,
  );
}

async function readCore({ database, activePacks }: Core): Promise<void> {
  const { used, idle, waiting, max } = await database.connections();
  connections.used.value = used;
  connections.idle.value = idle;
  waitingForConnection.value = waiting;
  maxConnections.value = max;
  lostChangeLogs.value = Number(!database.changes.isConnected);
  openPacks.value = activePacks.size;
}
