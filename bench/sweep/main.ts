import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { heading, median } from '../processes.ts';
import type pg from 'pg';
import { startBenchCore } from './bench-core.ts';

const PACKS = Number(process.env['PACKS'] ?? 5_000_000);
const GARBAGE = 1_000;
const ROUNDS = 5;
const CONTENTS_PER_PACK = 20;
const FENCE = 7_212_010;
const PROBE_MS = 2;

/** Inserts packs with one deployment that needs them, in parts, so that memory stays small. */
async function insertPacks(client: pg.Client, count: number): Promise<void> {
  const part = 250_000;
  // Without the checks of foreign keys, which take most of the time.
  await client.query('set session_replication_role = replica');
  for (let done = 0; done < count; done += part)
    await client.query(
      `with made as (
         insert into pack (id, state, boot_id, created, sealed)
         select gen_random_uuid(), 'sealed', 'bench', now(), now() - interval '30 days' from generate_series(1, $1) returning id)
       insert into deployment_pack select 'bench', id from made`,
      [Math.min(part, count - done)],
    );
  await client.query('set session_replication_role = origin');
}

/** Inserts packs with contents, and ends the only reference to each. */
async function insertGarbage(client: pg.Client): Promise<void> {
  const deployment = randomUUID().slice(0, 12);
  await client.query(
    `insert into deployment (id, status, files, size, labels, via, created) values ($1, 'success', 1, 1, '{}', 'api', now())`,
    [deployment],
  );
  await client.query(
    `with made as (
       insert into pack (id, state, boot_id, created, sealed)
       select gen_random_uuid(), 'sealed', 'bench', now(), now() - interval '30 days' from generate_series(1, $1) returning id),
     filled as (
       insert into content (hash, pack_id, "offset", length)
       select sha256(gen_random_uuid()::text::bytea), id, n * 100, 100 from made cross join generate_series(1, $2) n)
     insert into deployment_pack select $3, id from made`,
    [GARBAGE, CONTENTS_PER_PACK, deployment],
  );
  await client.query('delete from deployment where id = $1', [deployment]);
}

/** Takes the fence as deploys do, again and again. @returns A function that ends this and returns the longest wait, in ms. */
function probeFence(client: pg.Client): () => Promise<number> {
  let longestMs = 0;
  let isRunning = true;
  const probing = (async () => {
    while (isRunning) {
      const start = performance.now();
      await client.query(`select pg_advisory_xact_lock_shared(${FENCE})`);
      longestMs = Math.max(longestMs, performance.now() - start);
      await sleep(PROBE_MS);
    }
  })();
  return async () => {
    isRunning = false;
    await probing;
    return longestMs;
  };
}

const bench = await startBenchCore();
try {
  const [client, prober] = [await bench.connect(), await bench.connect()];
  await client.query(`insert into boot values ('bench', now(), now() + interval '1 day')`);
  await client.query(
    `insert into deployment (id, status, files, size, labels, via, created) values ('bench', 'success', 1, 1, '{}', 'api', now())`,
  );
  const start = performance.now();
  await insertPacks(client, PACKS);
  await client.query('checkpoint');
  console.error(`inserted ${PACKS} packs in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  const rounds: { sweepMs: number; waitMs: number; idleMs: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await insertGarbage(client);
    const endIdle = probeFence(prober);
    await sleep(500);
    const idleMs = await endIdle();
    const endProbe = probeFence(prober);
    const sweepStart = performance.now();
    const report = await bench.sweep();
    const sweepMs = performance.now() - sweepStart;
    const waitMs = await endProbe();
    if (report.packs !== GARBAGE) throw new Error(`The sweep removed ${report.packs} packs.`);
    rounds.push({ sweepMs, waitMs, idleMs });
  }
  const waits = rounds.map(({ waitMs }) => waitMs);
  const longest = Math.max(...waits);
  console.log(heading(`load ${loadavg()[0]!.toFixed(1)}`));
  console.log('| sweep | measured | goal | |\n|---|---|---|---|');
  console.log(
    `| longest wait of a deploy for the fence while ${GARBAGE} packs of ${CONTENTS_PER_PACK} contents among ${PACKS} are removed | ` +
      `${longest.toFixed(0)} ms (median of ${ROUNDS} rounds ${median(waits).toFixed(0)} ms; without a sweep ${Math.max(...rounds.map(({ idleMs }) => idleMs)).toFixed(0)} ms) | under 100 ms | ${longest < 100 ? 'met' : 'MISSED'} |`,
  );
  console.log(`| the whole sweep | ${median(rounds.map(({ sweepMs }) => sweepMs)).toFixed(0)} ms | | |`);
} finally {
  await bench.stop();
}
