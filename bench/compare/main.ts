import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { heading, median, OWN_TREE } from '../processes.ts';
import { type Figures, readFigures } from './figures.ts';

/** All benches whose tables can show a change. Of `serve`, only the faster half runs. */
const DEFAULT_BENCHES = ['rules', 'deploy', 'redeploy', 'api', 'desktop', 'serve:berth'];
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, scale: { type: 'string', default: '0.3' } },
});
const [otherTree, ...requestedBenches] = positionals;
const runs = Number(options.runs);
if (otherTree === undefined || !(runs >= 1)) {
  console.error('usage: npm run bench:compare -- <other checkout> [--runs N] [--scale SHARE] [bench …]');
  process.exit(2);
}
const trees = { old: resolve(otherTree), new: OWN_TREE };
type Side = keyof typeof trees;
const benches = requestedBenches.length > 0 ? requestedBenches : DEFAULT_BENCHES;

/** Runs a bench of a checkout, such as `api` or `serve:throughput`. @throws when the bench fails. */
async function runBench(tree: string, bench: string): Promise<Figures> {
  const [name, ...words] = bench.split(':');
  const { stdout } = await promisify(execFile)(process.execPath, [join(tree, 'bench', name!, 'main.ts'), ...words], {
    cwd: tree,
    env: { ...process.env, BENCH_SCALE: options.scale },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  return readFigures(stdout);
}

/** Collects the values of each figure from all runs of one side. */
function gather(allFigures: readonly Figures[]): Map<string, number[]> {
  const collected = new Map<string, number[]>();
  for (const figures of allFigures)
    for (const [figure, value] of figures) collected.set(figure, [...(collected.get(figure) ?? []), value]);
  return collected;
}

/** Returns the spread of values, relative to their median. */
function relativeSpread(values: readonly number[]): number {
  return median(values) === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / median(values);
}

function line(figure: string, before: readonly number[], after: readonly number[] | undefined): string | null {
  if (after === undefined) return `| ${figure} | ${median(before)} | – | – | – | only in the other checkout |`;
  if (new Set([...before, ...after]).size === 1) return null;
  const ratio = median(before) === 0 ? Number.NaN : median(after) / median(before);
  const maxSpread = Math.max(relativeSpread(before), relativeSpread(after));
  const overlap = Math.min(...before) <= Math.max(...after) && Math.min(...after) <= Math.max(...before);
  const verdict = overlap || Math.abs(ratio - 1) <= maxSpread ? 'within noise' : 'DIFFERS';
  return `| ${figure} | ${median(before)} | ${median(after)} | ${Number.isNaN(ratio) ? '–' : ratio.toFixed(2)} | ± ${(maxSpread * 100).toFixed(0)} % | ${verdict} |`;
}

console.log(
  heading(`medians of ${runs} alternating runs at a scale of ${options.scale}; the other checkout is ${trees.old}`),
);
for (const bench of benches) {
  const measuredFigures: Record<Side, Figures[]> = { old: [], new: [] };
  for (let run = 0; run < runs; run += 1) {
    const order: Side[] = run % 2 === 0 ? ['old', 'new'] : ['new', 'old'];
    for (const side of order) measuredFigures[side].push(await runBench(trees[side], bench));
  }
  const [before, after] = [gather(measuredFigures.old), gather(measuredFigures.new)];
  console.log(`\n| ${bench} | | other | this | this / other | spread | |\n|---|---|---|---|---|---|---|`);
  for (const [figure, values] of before) {
    const text = line(figure, values, after.get(figure));
    if (text !== null) console.log(text);
  }
  for (const [figure, values] of after)
    if (!before.has(figure)) console.log(`| ${figure} | – | ${median(values)} | – | – | only in this checkout |`);
}
