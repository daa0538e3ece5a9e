import { exec } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { residentBytes, send } from '../deploy/send.ts';
import { type BenchServer, heading, median, scaledRounds, startBerth } from '../processes.ts';
import { tar, tarEntry } from '@berth/testing/tar-bytes';
import { createZip, smallFiles } from './bodies.ts';

const WARM_UP_ROUNDS = 3;
const ROUNDS = scaledRounds(7);
const ZIP_ROUNDS = scaledRounds(3);
const MiB = 1024 ** 2;
const GiB = 1024 ** 3;
const TAR_TYPE = 'application/x-tar';

interface Row {
  label: string;
  measured: string;
  goal: string;
  met: boolean;
}

/** Measures the same files as a tar and as a form, alternating which comes first. */
async function tarBesideForm(berth: BenchServer): Promise<Row> {
  const times = { tar: [] as number[], form: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const a = smallFiles(10_000, 3_000);
    const b = smallFiles(10_000, 3_000);
    // The contents differ, because the second deploy of a content stores nothing.
    const sendTar = () => send(berth, TAR_TYPE, a.tar.length, [a.tar]);
    const sendForm = () => send(berth, b.form.contentType, b.form.bytes.length, [b.form.bytes]);
    const [tarMs, formMs] =
      round % 2 === 0
        ? [await sendTar(), await sendForm()]
        : await sendForm().then(async (ms) => [await sendTar(), ms]);
    if (round < 0) continue;
    times.tar.push(tarMs!);
    times.form.push(formMs!);
  }
  const ratio = median(times.tar.map((ms, i) => ms / times.form[i]!));
  return {
    label: '10,000 files of 3 KB: time of a tar beside a form',
    measured: `${ratio.toFixed(2)}x  (${median(times.tar).toFixed(0)} / ${median(times.form).toFixed(0)} ms)`,
    goal: 'at most 1x',
    met: ratio <= 1,
  };
}

/** Measures a zip that unpacks to 1 GiB, beside unzip and sha256sum. */
async function zipBesideUnzip(berth: BenchServer, folder: string): Promise<Row[]> {
  const speeds = { berth: [] as number[], unzip: [] as number[] };
  let growth = 0;
  for (let round = 0; round < ZIP_ROUNDS; round += 1) {
    const path = await createZip(folder, GiB);
    const { size } = await stat(path);
    const started = performance.now();
    await promisify(exec)(`unzip -p '${path}' | sha256sum`);
    speeds.unzip.push(GiB / MiB / ((performance.now() - started) / 1000));
    const pieces = createReadStream(path, { highWaterMark: MiB });
    const { ms, grownBytes } = await withMemory(berth, () => send(berth, 'application/zip', size, pieces));
    speeds.berth.push(GiB / MiB / (ms / 1000));
    growth = Math.max(growth, grownBytes);
    await rm(path);
  }
  const ratio = median(speeds.berth.map((speed, i) => speed / speeds.unzip[i]!));
  return [
    {
      label: 'a zip of 1 GiB of text: speed beside unzip and sha256sum',
      measured: `${ratio.toFixed(2)}x  (${median(speeds.berth).toFixed(0)} / ${median(speeds.unzip).toFixed(0)} MiB/s)`,
      goal: 'at least 0.8x',
      met: ratio >= 0.8,
    },
    memoryRow('a zip of 1 GiB of text: growth of resident memory at its peak', growth),
  ];
}

/** Measures the memory of archives that are refused, or have very many entries. */
async function memoryOfOthers(berth: BenchServer): Promise<Row[]> {
  const zeros = tarEntry({ name: 'zeros.bin', body: Buffer.alloc(1_500 * MiB) });
  const many = tar(Array.from({ length: 99_000 }, (_, i) => ({ name: `${i % 300}/${i}.txt` })));
  const tiny = tar(Array.from({ length: 99_000 }, (_, i) => ({ name: `${i % 300}/${i}.txt`, body: randomBytes(8) })));
  const cases: [label: string, type: string, body: Buffer, status: number][] = [
    ['a file of 1.5 GiB of zeros in gzip, refused', 'application/gzip', gzipSync(zeros), 413],
    ['a file of 1.5 GiB of zeros in zstd, refused', 'application/zstd', zstdCompressSync(zeros), 413],
    ['99,000 empty files in gzip', 'application/gzip', gzipSync(many), 201],
    ['99,000 files of 8 random bytes in gzip', 'application/gzip', gzipSync(tiny), 201],
  ];
  const rows: Row[] = [];
  for (const [label, type, body, status] of cases) {
    const { grownBytes } = await withMemory(berth, () => send(berth, type, body.length, [body], status));
    rows.push(memoryRow(`${label}: growth of resident memory at its peak`, grownBytes));
  }
  return rows;
}

function memoryRow(label: string, grownBytes: number): Row {
  return {
    label,
    measured: `${(grownBytes / MiB).toFixed(0)} MiB`,
    goal: 'under 64 MiB',
    met: grownBytes < 64 * MiB,
  };
}

async function withMemory(
  berth: BenchServer,
  work: () => Promise<number>,
): Promise<{ ms: number; grownBytes: number }> {
  const before = await residentBytes(berth.pid);
  let peak = before;
  let isDone = false;
  const done = work().finally(() => (isDone = true));
  done.catch(() => {});
  while (!isDone) {
    peak = Math.max(peak, await residentBytes(berth.pid));
    await sleep(10);
  }
  return { ms: await done, grownBytes: peak - before };
}

const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'));
const berth = await startBerth();
try {
  const rows = [await tarBesideForm(berth), ...(await zipBesideUnzip(berth, folder)), ...(await memoryOfOthers(berth))];
  console.log(heading(`medians of ${ROUNDS} alternating rounds, load ${loadavg()[0]!.toFixed(1)}`));
  console.log('| archives | measured | goal | |\n|---|---|---|---|');
  for (const { label, measured, goal, met } of rows)
    console.log(`| ${label} | ${measured} | ${goal} | ${met ? 'met' : 'MISSED'} |`);
} finally {
  await berth.stop();
  await rm(folder, { recursive: true });
}
