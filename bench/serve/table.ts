import type { Row } from './rows.ts';
import { fastestServer, type Measured, rateOf, ratioOf } from './throughput.ts';

const BERTHS = ['Berth 1', 'Berth 2'];

/** A comparison of Berth with another contender: a title, the compared contenders of a row, and the goal. */
interface Comparison {
  title: string;
  pair: (measured: Measured) => [berth: string, other: string];
  isGoalMet: (ratio: number, row: Row) => boolean | null;
}

const isAhead = (ratio: number) => ratio > 1;
const nearLimit = (ratio: number) => ratio >= 0.85;

/** Fair comparisons: one process with one process, and the best of Berth with the best of servers on all cores. */
const COMPARISONS: readonly Comparison[] = [
  { title: '1 / node 1', pair: () => ['Berth 1', 'node 1'], isGoalMet: nearLimit },
  { title: '2 / node 2', pair: () => ['Berth 2', 'node 2'], isGoalMet: nearLimit },
  { title: 'best / Caddy', pair: (row) => [fastestServer(row, BERTHS), 'Caddy'], isGoalMet: isAhead },
  { title: '1 / sirv', pair: () => ['Berth 1', 'sirv'], isGoalMet: isAhead },
  { title: '1 / express', pair: () => ['Berth 1', 'express'], isGoalMet: isAhead },
  {
    title: 'best / nginx',
    pair: (row) => [fastestServer(row, BERTHS), fastestServer(row, ['nginx 1', 'nginx 2'])],
    isGoalMet: (ratio, { besideNginx }) => (besideNginx === undefined ? null : ratio >= besideNginx),
  },
];

/** Returns the head of the table. @param names The contenders that have a column. */
export function head(names: readonly string[]): string {
  const titles = ['requests/s', ...names, ...COMPARISONS.map(({ title }) => title)];
  return `| ${titles.join(' | ')} |\n|${'---|'.repeat(titles.length)}`;
}

/** Returns a row of the table: median rates, then ratios with their goals. */
export function line(row: Row, names: readonly string[], measured: Measured): string {
  const rates = names.map((name) => {
    const rates = measured.get(name);
    return typeof rates === 'string' ? rates : rateOf(measured, name).toFixed(0);
  });
  return `| ${[row.name, ...rates, ...COMPARISONS.map((each) => verdict(each, row, measured))].join(' | ')} |`;
}

function verdict({ pair, isGoalMet: met }: Comparison, row: Row, measured: Measured): string {
  const value = ratioOf(measured, ...pair(measured));
  if (value === null) return '–';
  const isMet = row.informative ? null : met(value, row);
  return `${value.toFixed(2)}${isMet === null ? '' : isMet ? ' met' : ' MISSED'}`;
}
