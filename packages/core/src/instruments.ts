/** One series of a metric. Adding to `value` is all that counting costs; the value is read when metrics are collected. */
export interface Series {
  value: number;
}

/** A series of observed values, such as durations. */
export interface HistogramSeries {
  observe(value: number): void;
}

/**
 * How the values of several processes become one: their sum, the largest, or one series for each process, with the name of
 * the process as the label `berth_process`.
 */
type Aggregation = 'sum' | 'max' | 'each';

/** The values of a metric in one process, as plain data that can be sent to another process. */
export interface MetricSnapshot {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregation: Aggregation;
  /** For a histogram, `metricName` is the name of the series, such as `…_bucket`. */
  values: { labels: Record<string, string | number>; value: number; metricName?: string }[];
}

/** The metrics of this process, in the order in which they were declared. */
const metrics = new Map<string, () => MetricSnapshot>();

/** The name of a metric, and what it means. */
export interface MetricHead {
  name: string;
  help: string;
  /** Default: `sum`. */
  aggregation?: Aggregation;
}

/** Declares a counter without labels. Its value never decreases. */
export function counter(head: MetricHead): Series {
  return family('counter', head)({});
}

/** Declares a counter with one label. All its series exist from the start, so that a first increase can be seen. */
export function counters<L extends string>(head: MetricHead, label: string, values: readonly L[]): Record<L, Series> {
  return seriesOf(family('counter', head), label, values);
}

/** Declares a gauge without labels. */
export function gauge(head: MetricHead): Series {
  return family('gauge', head)({});
}

/** Declares a gauge with one label. */
export function gauges<L extends string>(head: MetricHead, label: string, values: readonly L[]): Record<L, Series> {
  return seriesOf(family('gauge', head), label, values);
}

/** Declares a metric. The result adds a series; the caller bounds how many there are. */
export function family(
  type: 'counter' | 'gauge',
  { name, help, aggregation = 'sum' }: MetricHead,
): (labels: Record<string, string>) => Series {
  const all: { labels: Record<string, string>; series: Series }[] = [];
  register(name, () => ({
    name,
    help,
    type,
    aggregation,
    values: all.map(({ labels, series }) => ({ labels, value: exact(series.value) })),
  }));
  return (labels) => {
    const series = { value: 0 };
    all.push({ labels, series });
    return series;
  };
}

/**
 * Declares a histogram. Its series are added when they are first needed; the caller bounds how many there are.
 *
 * @param bounds The upper bounds of the buckets, in ascending order, without infinity.
 */
export function histogram(
  { name, help }: MetricHead,
  bounds: readonly number[],
): (labels: Record<string, string>) => HistogramSeries {
  const all: { labels: Record<string, string>; counts: Float64Array; sum: () => number }[] = [];
  register(name, () => ({
    name,
    help,
    type: 'histogram',
    aggregation: 'sum',
    values: all.flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = [...bounds, '+Inf'].map((le, index) => {
        total += counts[index]!;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: exact(sum()) },
        { metricName: `${name}_count`, labels, value: total },
      ];
    }),
  }));
  return (labels) => {
    const counts = new Float64Array(bounds.length + 1);
    let sum = 0;
    all.push({ labels, counts, sum: () => sum });
    return {
      observe(value) {
        let bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
        counts[bucket]! += 1;
        sum += value;
      },
    };
  };
}

/**
 * Rounds a value to a multiple of a power of two. Sums of such values are exact, so the total of several processes does not depend on
 * their order. Otherwise a total could decrease by a rounding error, which Prometheus takes for a restart.
 */
function exact(value: number): number {
  return Math.round(value * 2 ** 20) / 2 ** 20;
}

/** Returns the values of all metrics of this process, as plain data. */
export function snapshotMetrics(): MetricSnapshot[] {
  return [...metrics.values()].map((snapshot) => snapshot());
}

function seriesOf<L extends string>(
  add: (labels: Record<string, string>) => Series,
  label: string,
  values: readonly L[],
): Record<L, Series> {
  return Object.fromEntries(values.map((value) => [value, add({ [label]: value })])) as Record<L, Series>;
}

function register(name: string, snapshot: () => MetricSnapshot): void {
  if (metrics.has(name)) throw new Error(`The metric ${name} is declared twice.`);
  metrics.set(name, snapshot);
}
