import { Agent } from 'node:http';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@berth/core';
import pg from 'pg';
import { API_KEY, type BenchServer, heading, median, OWN_TREE, scaledRounds, startBerth } from '../processes.ts';
import { PLATFORM_DOMAIN } from '../serve/files.ts';
import { get } from '../serve/get.ts';
import { copyDeployment, deployPages, waitForForms } from './sites.ts';

/** The checkout whose server is measured. */
const TREE = process.env['TREE'] ?? OWN_TREE;
const COLD_SITES = scaledRounds(200);
const WARM_UP = 20;
/** The sites whose memory is measured. They fit into the cache of a process in every version. */
const [SMALL_SITES, LARGE_SITES] = [350, 4];
/** The number of visits after which a site is in memory for sure. */
const VISITS = 4;
const MiB = 1024 ** 2;
const KiB = 1024;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function visit(berth: BenchServer, id: string): Promise<number> {
  const { status, firstByteMs } = await get(berth.port, `${id}.${PLATFORM_DOMAIN}`, '/', {}, agent);
  if (status !== 200) throw new Error(`${id} answered ${status}`);
  return firstByteMs;
}

/** Measures the memory that each of the sites takes once its front page is in memory, in bytes. */
async function measureMemory(berth: BenchServer, ids: readonly string[]): Promise<number> {
  const bytesBefore = await berth.ask<number>('memory');
  for (let round = 0; round < VISITS; round += 1) for (const id of ids) await visit(berth, id);
  return ((await berth.ask<number>('memory')) - bytesBefore) / ids.length;
}

const berth = await startBerth(
  { PLATFORM_DOMAIN, WORKERS: '1' },
  { tree: TREE, preload: join(import.meta.dirname, 'report-memory.ts') },
);
try {
  // This process only joins the PostgreSQL of the server.
  const postgres = await startEmbeddedPostgres(join(berth.dataDir, 'postgres'), { visitor: true });
  const { socketDir, user, database } = postgres.address;
  const client = new pg.Client({ host: socketDir, port: 5432, user, database });
  await client.connect();
  try {
    // Files with this extension are not compressed, so that no job runs during the measurement.
    const bases = await Promise.all([100, 10_000].map((count) => deployPages(berth.port, API_KEY, count, 'bin')));
    const pages = await deployPages(berth.port, API_KEY, 100, 'html');
    for (const base of [...bases, pages]) await waitForForms(client, base);
    const small = await copyDeployment(client, bases[0]!, COLD_SITES + WARM_UP);
    const large = await copyDeployment(client, bases[1]!, COLD_SITES + WARM_UP + LARGE_SITES);
    const copies = await copyDeployment(client, pages, SMALL_SITES);

    console.log(heading(`medians of ${COLD_SITES} sites, alternating`));
    console.log('| cold sites | measured | goal | |\n|---|---|---|---|');
    for (let round = 0; round < 50; round += 1) for (const base of [...bases, pages]) await visit(berth, base);
    for (const [label, ids] of [
      ['100 pages with compressed forms', copies],
      ['10,000 files', large.splice(0, LARGE_SITES)],
    ] as const) {
      const bytes = await measureMemory(berth, ids);
      console.log(
        `| sites of ${label} in 1 MiB, one page of each visited | ${(MiB / bytes).toFixed(1)} (${(bytes / KiB).toFixed(1)} KiB a site) | | |`,
      );
    }
    const times = { small: [] as number[], large: [] as number[] };
    for (let n = 0; n < COLD_SITES + WARM_UP; n += 1) {
      const [smallMs, largeMs] = [await visit(berth, small[n]!), await visit(berth, large[n]!)];
      if (n < WARM_UP) continue;
      times.small.push(smallMs);
      times.large.push(largeMs);
    }
    const [smallMs, largeMs] = [median(times.small), median(times.large)];
    const ratio = largeMs / smallMs;
    console.log(
      `| first visit of a site of 10,000 files beside one of 100 | ${ratio.toFixed(2)}x (${largeMs.toFixed(2)} / ${smallMs.toFixed(2)} ms) | at most 1.5x | ${ratio <= 1.5 ? 'met' : 'MISSED'} |`,
    );
  } finally {
    await client.end();
    await postgres.stop();
  }
} finally {
  agent.destroy();
  await berth.stop();
}
