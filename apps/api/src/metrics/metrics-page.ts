import type { Core } from '@berth/core';
import type { MetricSnapshot } from '@berth/core/metrics';
import type { RenderedMetrics } from '../admin/admin-handler.ts';
import type { Health } from '../health/health.ts';
import { snapshotProcess } from './process-metrics.ts';
import { readServer } from './server-metrics.ts';

/** The metrics of the workers of a server. */
export interface WorkerMetrics {
  /** The workers by place: a worker that replaces another one has the same name. */
  workers: { name: string; isUp: boolean; metrics: MetricSnapshot[] }[];
  /** The last known metrics of the workers that have ended since the previous call. */
  ended: MetricSnapshot[][];
}

interface MetricsPageOptions {
  health: Health;
  dataDir: string;
  /** Collects the metrics of the workers. Default: there are none. */
  collectWorkers?: () => Promise<WorkerMetrics>;
}

/** The name of the first process in the label `berth_process`. */
const FIRST_PROCESS = 'main';
const WORKER_UP: Omit<MetricSnapshot, 'values'> = {
  name: 'berth_worker_up',
  help: '1 if a worker answered the last scrape in time.',
  type: 'gauge',
  aggregation: 'sum',
};

/**
 * Renders the metrics of all processes of a server. Totals include workers that have ended, and those that do not answer, as of
 * their last answer, so that no total decreases while the server runs. Source: api §12.
 */
export class MetricsPage {
  readonly #options: MetricsPageOptions;
  #core: Core | null = null;
  #ended: object[] = [];
  #rendering: Promise<RenderedMetrics> | null = null;

  constructor(options: MetricsPageOptions) {
    this.#options = options;
  }

  /** Adds what the core knows. */
  serve(core: Core): void {
    this.#core = core;
  }

  /** Renders the metrics in the text format of Prometheus. Calls at the same time share one result. */
  render(): Promise<RenderedMetrics> {
    return (this.#rendering ??= this.#render().finally(() => (this.#rendering = null)));
  }

  async #render(): Promise<RenderedMetrics> {
    const { collectWorkers, ...parts } = this.#options;
    const [{ workers, ended }, own] = await Promise.all([
      collectWorkers?.() ?? { workers: [], ended: [] },
      readServer({ ...parts, core: this.#core }).then(() => snapshotProcess(this.#core)),
    ]);
    // The program needs prom-client only once it is scraped.
    const { AggregatorRegistry } = await import('prom-client');
    const endedTotals = AggregatorRegistry.aggregate([this.#ended, ...ended.map(totalsOf)]);
    this.#ended = await endedTotals.getMetricsAsJSON();
    const registry = AggregatorRegistry.aggregate([
      forProcess(FIRST_PROCESS, own),
      ...workers.map(({ name, isUp, metrics }) => (isUp ? forProcess(name, metrics) : totalsOf(metrics))),
      this.#ended,
      [upMetric(workers)],
    ]);
    return { contentType: registry.contentType, body: await registry.metrics() };
  }
}

function upMetric(workers: WorkerMetrics['workers']): object {
  const values = workers.map(({ name, isUp }) => ({ labels: { berth_process: name }, value: Number(isUp) }));
  return { ...WORKER_UP, aggregator: 'sum', values };
}

/** Returns the metrics of a running process as prom-client aggregates them. */
function forProcess(name: string, metrics: readonly MetricSnapshot[]): object[] {
  return metrics.map(({ aggregation, values, ...metric }) =>
    aggregation === 'each'
      ? {
          ...metric,
          aggregator: 'sum',
          values: values.map(({ labels, ...value }) => ({ ...value, labels: { berth_process: name, ...labels } })),
        }
      : { ...metric, aggregator: aggregation, values },
  );
}

/** Returns the totals of a process that does not answer. Its gauges no longer have a meaning. */
function totalsOf(metrics: readonly MetricSnapshot[]): object[] {
  return metrics.flatMap(({ aggregation, ...metric }) =>
    metric.type === 'gauge' || aggregation === 'each' ? [] : [{ ...metric, aggregator: aggregation }],
  );
}
