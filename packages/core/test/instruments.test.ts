import { describe, expect, it } from 'vitest';
import { counter, counters, family, histogram, snapshotMetrics } from '../src/instruments.ts';

const valuesOf = (wanted: string) => snapshotMetrics().find(({ name }) => name === wanted)!.values;

describe('a counter', () => {
  it('has all series from the start, and each has its own value', () => {
    const fruit = counters({ name: 'test_fruit_total', help: 'Fruit.' }, 'kind', ['apple', 'pear']);
    fruit.pear.value += 2;
    expect(valuesOf('test_fruit_total')).toEqual([
      { labels: { kind: 'apple' }, value: 0 },
      { labels: { kind: 'pear' }, value: 2 },
    ]);
  });

  it('can add series later', () => {
    const add = family('counter', { name: 'test_later_total', help: 'Later.', aggregation: 'max' });
    expect(valuesOf('test_later_total')).toEqual([]);
    add({ place: 'here' }).value = 3;
    expect(valuesOf('test_later_total')).toEqual([{ labels: { place: 'here' }, value: 3 }]);
    expect(snapshotMetrics().find(({ name }) => name === 'test_later_total')).toMatchObject({ aggregation: 'max' });
  });

  it('cannot be declared twice, because two series with the same labels would be wrong', () => {
    counter({ name: 'test_once_total', help: 'Once.' });
    expect(() => counter({ name: 'test_once_total', help: 'Again.' })).toThrow('declared twice');
  });
});

it('a histogram counts each value in the bucket of the next upper bound, and in all larger ones', () => {
  const series = histogram({ name: 'test_seconds', help: 'Seconds.' }, [0.125, 1])({ phase: 'a' });
  for (const value of [0.0625, 0.125, 0.5, 7]) series.observe(value);
  const labels = { phase: 'a' };
  expect(valuesOf('test_seconds')).toEqual([
    { metricName: 'test_seconds_bucket', labels: { ...labels, le: 0.125 }, value: 2 },
    { metricName: 'test_seconds_bucket', labels: { ...labels, le: 1 }, value: 3 },
    { metricName: 'test_seconds_bucket', labels: { ...labels, le: '+Inf' }, value: 4 },
    { metricName: 'test_seconds_sum', labels, value: 7.6875 },
    { metricName: 'test_seconds_count', labels, value: 4 },
  ]);
});
