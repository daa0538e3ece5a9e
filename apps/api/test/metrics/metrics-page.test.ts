import type { Log } from '@berth/core';
import { family, type MetricSnapshot, snapshotMetrics } from '@berth/core/metrics';
import { expect, it } from 'vitest';
import { Health } from '../../src/health/health.ts';
import { MetricsPage, type WorkerMetrics } from '../../src/metrics/metrics-page.ts';

const silentLog: Log = { info() {}, warn() {}, error() {} };

/** The metrics of one worker that has counted `count` visits and is at temperature `count`. */
const worker = (count: number): MetricSnapshot[] => [
  {
    name: 'test_visits_total',
    help: 'Visits.',
    type: 'counter',
    aggregation: 'sum',
    values: [{ labels: {}, value: count }],
  },
  { name: 'test_degrees', help: 'Degrees.', type: 'gauge', aggregation: 'sum', values: [{ labels: {}, value: count }] },
  { name: 'test_newest', help: 'Newest.', type: 'gauge', aggregation: 'max', values: [{ labels: {}, value: count }] },
  { name: 'test_own', help: 'Own.', type: 'gauge', aggregation: 'each', values: [{ labels: {}, value: count }] },
];

async function render(...collected: WorkerMetrics[]): Promise<string[]> {
  const page = new MetricsPage({
    health: new Health(silentLog),
    dataDir: '/',
    collectWorkers: async () => collected.shift()!,
  });
  let text = '';
  for (let count = collected.length; count > 0; count -= 1) text = (await page.render()).body;
  return text.split('\n').filter((line) => /^(?:test_|berth_worker_up)/.test(line));
}

const up = (name: string, count: number) => ({ name, isUp: true, metrics: worker(count) });

it('metrics of several workers are added, compared, or shown for each', async () => {
  expect(await render({ workers: [up('worker-1', 2), up('worker-2', 3)], ended: [] })).toEqual([
    'test_visits_total 5',
    'test_degrees 5',
    'test_newest 3',
    'test_own{berth_process="worker-1"} 2',
    'test_own{berth_process="worker-2"} 3',
    'berth_worker_up{berth_process="worker-1"} 1',
    'berth_worker_up{berth_process="worker-2"} 1',
  ]);
});

it('of a worker that does not answer, only the last totals count', async () => {
  const silent = { ...up('worker-2', 3), isUp: false };
  expect(await render({ workers: [up('worker-1', 2), silent], ended: [] })).toEqual([
    'test_visits_total 5',
    'test_degrees 2',
    'test_newest 2',
    'test_own{berth_process="worker-1"} 2',
    'berth_worker_up{berth_process="worker-1"} 1',
    'berth_worker_up{berth_process="worker-2"} 0',
  ]);
});

it('the totals of workers that ended are kept for ever', async () => {
  const lines = await render(
    { workers: [up('worker-1', 10)], ended: [] },
    { workers: [up('worker-1', 1)], ended: [worker(10), worker(20)] },
    { workers: [up('worker-1', 2)], ended: [worker(100)] },
    { workers: [up('worker-1', 3)], ended: [] },
  );
  expect(lines).toContain('test_visits_total 133');
  expect(lines).toContain('test_degrees 3');
});

it('calls at the same time share one collection', async () => {
  let collections = 0;
  const page = new MetricsPage({
    health: new Health(silentLog),
    dataDir: '/',
    async collectWorkers() {
      collections += 1;
      return { workers: [], ended: [] };
    },
  });
  const [first, second] = await Promise.all([page.render(), page.render()]);
  expect(first).toBe(second);
  expect(collections).toBe(1);
});

it('the snapshot of a counter has fractions whose sums are the same in any order', () => {
  const seconds = family('counter', { name: 'test_seconds_total', help: 'Seconds.' });
  const parts = [0.1, 0.2, 0.3, 1e-7, 12_345.678];
  for (const [index, part] of parts.entries()) seconds({ index: String(index) }).value = part;
  const snapshot = snapshotMetrics().find(({ name }) => name === 'test_seconds_total')!;
  const values = snapshot.values.map(({ value }) => value);
  for (const [index, value] of values.entries()) expect(value).toBeCloseTo(parts[index]!, 5);
  const sum = (ordered: readonly number[]) => ordered.reduce((total, value) => total + value, 0);
  expect(sum(values)).toBe(sum(values.toReversed()));
  expect(sum(parts)).not.toBe(sum(parts.toReversed()));
});
