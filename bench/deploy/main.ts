import { createHash, randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { bigBody, deployBody, randomContents } from './bodies.ts';
import { measureManyUploads } from './many-uploads.ts';
import { processorMs } from './processor-time.ts';
import { residentBytes, send } from './send.ts';
import { type BenchServer, heading, median, scaledRounds, startBare, startBerth } from '../processes.ts';

/** Rounds after which the code of the server and of the bare parser is compiled. */
const WARM_UP_ROUNDS = 4;
const ROUNDS = scaledRounds(15);
const BIG_ROUNDS = scaledRounds(3);
const UPLOADS_AT_ONCE = 1_000;
const MAX_REFUSED = 20;
const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Measures a deploy of 10,000 small files, alternating with the bare parser on the same body. */
async function manySmallFiles(berth: BenchServer & { dataDir: string }, bare: BenchServer): Promise<Row[]> {
  const times = { berth: [] as number[], bare: [] as number[] };
  const processorTimes = { node: [] as number[], postgres: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const { contentType, bytes } = deployBody(randomContents(10_000, 3_000));
    const bareMs = await send(bare, contentType, bytes.length, [bytes]);
    const before = processorMs(berth);
    const berthMs = await send(berth, contentType, bytes.length, [bytes]);
    const after = processorMs(berth);
    if (round < 0) continue;
    processorTimes.node.push(after.node - before.node);
    processorTimes.postgres.push(after.postgres - before.postgres);
    times.bare.push(bareMs);
    times.berth.push(berthMs);
  }
  const medianRatio = median(times.berth.map((ms, i) => ms / times.bare[i]!));
  return [
    {
      label: '10,000 files of 3 KB: time beside a bare busboy that discards',
      measured: `${medianRatio.toFixed(2)}x  (${median(times.berth).toFixed(0)} ms / ${median(times.bare).toFixed(0)} ms)`,
      goal: 'at most 2.5x',
      isMet: medianRatio <= 2.5,
    },
    {
      label: '10,000 files of 3 KB: processor time of the server, and of PostgreSQL',
      measured: `${median(processorTimes.node).toFixed(0)} ms, ${median(processorTimes.postgres).toFixed(0)} ms`,
    },
  ];
}

/**
 * Fills the page cache once and frees it. A virtual machine gets memory from its host on first use, which costs more
 * than the write itself. A server that has run for a while does not pay this cost.
 */
async function touchMemory(bytes: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-bench-'));
  const file = await open(join(dir, 'scratch'), 'w');
  const block = Buffer.alloc(MiB, 1);
  for (let writtenBytes = 0; writtenBytes < bytes; writtenBytes += block.length) await file.write(block);
  await file.close();
  await rm(dir, { recursive: true });
}

/** Measures one big file, compared with MD5 in this process, and the peak memory of the server. */
async function oneBigFile(berth: BenchServer): Promise<Row[]> {
  const block = Buffer.allocUnsafe(MiB);
  await touchMemory((BIG_ROUNDS + 1) * GiB);
  const speeds = { berth: [] as number[], md5: [] as number[] };
  let maxGrowthBytes = 0;
  for (let round = 0; round < BIG_ROUNDS; round += 1) {
    randomFillSync(block);
    const startedMs = performance.now();
    const md5 = createHash('md5');
    for (let i = 0; i < GiB / MiB; i += 1) md5.update(block);
    const digest = md5.digest('hex');
    speeds.md5.push(GiB / MiB / ((performance.now() - startedMs) / 1000));

    const { contentType, length, pieces } = bigBody(GiB, block, digest);
    const bytesBefore = await residentBytes(berth.pid);
    let peakBytes = bytesBefore;
    const upload = send(berth, contentType, length, pieces());
    let ms: number | null = null;
    void upload.then(
      (value) => (ms = value),
      () => (ms = 0),
    );
    while (ms === null) {
      peakBytes = Math.max(peakBytes, await residentBytes(berth.pid));
      await sleep(10);
    }
    speeds.berth.push(GiB / MiB / ((await upload) / 1000));
    maxGrowthBytes = Math.max(maxGrowthBytes, peakBytes - bytesBefore);
  }
  const medianRatio = median(speeds.berth.map((speed, i) => speed / speeds.md5[i]!));
  return [
    {
      label: 'one file of 1 GiB: speed beside MD5 of Node in memory',
      measured: `${medianRatio.toFixed(2)}x  (${median(speeds.berth).toFixed(0)} / ${median(speeds.md5).toFixed(0)} MiB/s)`,
      goal: 'at least 0.5x',
      isMet: medianRatio >= 0.5,
    },
    {
      label: 'one file of 1 GiB: growth of resident memory at its peak',
      measured: `${(maxGrowthBytes / MiB).toFixed(0)} MiB  (${((maxGrowthBytes / GiB) * 100).toFixed(1)} % of the file)`,
      goal: 'under 64 MiB',
      isMet: maxGrowthBytes < 64 * MiB,
    },
  ];
}

/** Counts the fsync calls of deploys of three sizes. */
async function fsyncs(berth: BenchServer): Promise<Row> {
  const fsyncCounts: number[] = [];
  for (const files of [1, 100, 10_000]) {
    const { contentType, bytes } = deployBody(randomContents(files, 300));
    const fsyncsBefore = await berth.ask<{ fsyncs: number }>('fsyncs');
    await send(berth, contentType, bytes.length, [bytes]);
    fsyncCounts.push((await berth.ask<{ fsyncs: number }>('fsyncs')).fsyncs - fsyncsBefore.fsyncs);
  }
  return {
    label: 'fsync calls of a deploy of 1, 100, 10,000 files (pack, its folder)',
    measured: `${fsyncCounts.join(', ')}  (${(fsyncCounts[2]! / fsyncCounts[0]!).toFixed(2)}x)`,
    goal: 'constant',
    isMet: fsyncCounts.every((count) => count === fsyncCounts[0]),
  };
}

/** Measures many uploads that one account begins at once, with a server that has done nothing before. */
async function manyUploads(): Promise<Row[]> {
  const server = await startBerth();
  try {
    const { refused, intact, ms, peakBytes } = await measureManyUploads(server, UPLOADS_AT_ONCE);
    return [
      {
        label: '1,000 uploads of 100 KB at once: refused, and published intact',
        measured: `${refused}, ${intact}  (${(ms / 1000).toFixed(1)} s)`,
        goal: `at most ${MAX_REFUSED}, all others`,
        isMet: refused <= MAX_REFUSED && intact === UPLOADS_AT_ONCE - refused,
      },
      {
        label: '1,000 uploads of 100 KB at once: resident memory at its peak',
        measured: `${(peakBytes / MiB).toFixed(0)} MiB`,
        goal: 'under 400 MiB',
        isMet: peakBytes < 400 * MiB,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** One row of the table. A row without a goal only informs. */
interface Row {
  label: string;
  measured: string;
  goal?: string;
  isMet?: boolean;
}

const rows: Row[] = [];
const [berth, bare] = await Promise.all([
  startBerth({}, { preload: join(import.meta.dirname, 'count-fsync.ts') }),
  startBare(join(import.meta.dirname, 'bare-server.ts')),
]);
try {
  rows.push(...(await manySmallFiles(berth, bare)), ...(await oneBigFile(berth)), await fsyncs(berth));
} finally {
  await Promise.all([berth.stop(), bare.stop()]);
}
rows.push(...(await manyUploads()));
console.log(heading(`medians of ${ROUNDS} alternating rounds`));
console.log('| deploy | measured | goal | |\n|---|---|---|---|');
for (const { label, measured, goal = '', isMet: met } of rows)
  console.log(`| ${label} | ${measured} | ${goal} | ${verdict(met)} |`);

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}
