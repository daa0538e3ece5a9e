import { execFileSync } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { heading, OWN_TREE } from '../processes.ts';
import { INPUTS } from './inputs.ts';
import type { Statuses } from './load.ts';
import type { Latencies } from './probe.ts';
import { type Outcome, run } from './run.ts';

const MiB = 1024 ** 2;
const GOAL_MS = 100;
const GOAL_BYTES = 100 * MiB;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '15' },
    'at-once': { type: 'string', default: '30' },
    tree: { type: 'string', multiple: true, default: [OWN_TREE] },
  },
});

/** Returns the goals that the server missed. */
function missedGoals({ probe: { ping, page }, statuses, growth, ended }: Outcome): string[] {
  const faults = sumStatuses(statuses, (status) => Number(status) >= 500) + ping.failed + page.failed;
  return [
    ...(ended ? ['server ended'] : []),
    ...(percentile(ping, 0.99) < GOAL_MS && percentile(page, 0.99) < GOAL_MS ? [] : ['slow']),
    ...(growth < GOAL_BYTES ? [] : ['memory']),
    ...(faults === 0 ? [] : [`${faults} failed`]),
  ];
}

function line(server: string, label: string, outcome: Outcome): string {
  const { statuses, probe, growth } = outcome;
  const faults = missedGoals(outcome);
  const cells = [
    server,
    label,
    String(sumStatuses(statuses, () => true)),
    Object.entries(statuses)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', '),
    formatLatencies(probe.ping),
    formatLatencies(probe.page),
    `${(growth / MiB).toFixed(0)} MiB`,
    faults.length === 0 ? 'pass' : `FAIL: ${faults.join(', ')}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function formatLatencies(latencies: Latencies): string {
  return [percentile(latencies, 0.5), percentile(latencies, 0.99), percentile(latencies, 1)]
    .map((ms) => ms.toFixed(0))
    .join(' / ');
}

function percentile({ times }: Latencies, share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}

function sumStatuses(statuses: Statuses, counts: (status: string) => boolean): number {
  return Object.entries(statuses).reduce((total, [status, count]) => (counts(status) ? total + count : total), 0);
}

/** Returns the name of a checkout for the table. */
function nameOf(tree: string): string {
  try {
    return execFileSync('git', ['-C', tree, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return basename(tree);
  }
}

const seconds = Number(options.seconds);
const atOnce = Number(options['at-once']);
const { only } = options;
const trees = options.tree.map((tree) => resolve(tree));
const isSelected = (id: string, label: string) =>
  only.length === 0 || only.some((word) => id === word || label.includes(word));

let allMet = true;
console.log(heading(`${seconds} s an input, at most ${atOnce} requests at once; times are p50 / p99 / max in ms`));
console.log(
  '| server | input | requests | answers | /ping | a page | memory growth | |\n|---|---|---|---|---|---|---|---|',
);
for (const [input, { id, label }] of INPUTS.entries()) {
  if (!isSelected(id, label)) continue;
  for (const tree of trees) {
    const outcome = await run(tree, { input, seconds, atOnce });
    allMet &&= missedGoals(outcome).length === 0;
    console.log(line(nameOf(tree), `${id}: ${label}`, outcome));
  }
}
process.exitCode = allMet ? 0 : 1;
