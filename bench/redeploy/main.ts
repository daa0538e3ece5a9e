import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@berth/client';
import { API_KEY, heading, median, startBerth } from '../processes.ts';
import { type FirstDeploys, measureFirstDeploys } from './first-deploy.ts';
import { measureRedeploys, type Redeploys } from './redeploys.ts';
import { hasRsync } from './rsync.ts';

/** One row of the table. A row without a goal only informs. */
interface Row {
  label: string;
  measured: string;
  goal?: string;
  isMet?: boolean;
}

function redeployRows({ watch, watchBytes, fullBytes, rsync }: Redeploys): Row[] {
  const sentShare = median(watchBytes) / fullBytes;
  const p90 = watch.toSorted((a, b) => a - b)[Math.floor(watch.length * 0.9)]!;
  const compareWith = (name: string, other: readonly number[]): Row => ({
    label: `the same, beside ${name}`,
    measured: `${(median(watch) / median(other)).toFixed(2)}x  (${ms(median(watch))} / ${ms(median(other))})`,
  });
  return [
    {
      label: 'one of 10,000 files changed: bytes sent, beside a full deploy',
      measured: `${(sentShare * 100).toFixed(3)} %  (${median(watchBytes)} / ${fullBytes})`,
      goal: 'under 2 %',
      isMet: sentShare < 0.02,
    },
    {
      label: 'one of 10,000 files changed: from the end of the quiet period to the new content at the domain',
      measured: `p50 ${ms(median(watch))}, p90 ${ms(p90)} of ${watch.length}`,
      goal: 'p50 under 200 ms',
      isMet: median(watch) < 200,
    },
    ...(rsync.length > 0 ? [compareWith('`rsync -a` of the folder into a web root', rsync)] : []),
  ];
}

function firstDeployRows({ berth, rsync }: FirstDeploys): Row[] {
  const medianRatio = median(berth.map((berthMs, i) => berthMs / (rsync[i] ?? Number.NaN)));
  return [
    {
      label: 'first deploy of 10,000 files, beside `rsync -a` and `sync`',
      ...(rsync.length > 0
        ? {
            measured: `${medianRatio.toFixed(2)}x  (${ms(median(berth))} / ${ms(median(rsync))})`,
            isMet: medianRatio <= 3,
          }
        : { measured: ms(median(berth)) }),
      goal: 'at most 3x',
    },
  ];
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '–';
  return met ? 'met' : 'MISSED';
}

const withRsync = await hasRsync();
if (!withRsync) console.log('rsync is not installed (Debian: apt-get install rsync): its rows are skipped.');
const home = await mkdtemp(join(tmpdir(), 'berth-bench-'));
const berth = await startBerth();
try {
  const client = createClient({ server: `http://localhost:${berth.port}`, key: API_KEY });
  const rows = [
    ...redeployRows(await measureRedeploys(home, client, withRsync)),
    ...firstDeployRows(await measureFirstDeploys(home, client, withRsync)),
  ];
  console.log(heading('medians of alternating rounds'));
  console.log('| redeploy | measured | goal | |\n|---|---|---|---|');
  for (const { label, measured, goal = '–', isMet: met } of rows)
    console.log(`| ${label} | ${measured} | ${goal} | ${verdict(met)} |`);
} finally {
  await berth.stop();
  await rm(home, { recursive: true, force: true });
}
