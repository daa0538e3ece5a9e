import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startEmbeddedPostgres } from '@berth/core';
import pg from 'pg';
import { API_KEY, type BenchServer, heading, median, scaledRounds, startBare, startBerth } from '../processes.ts';
import { endpoints } from './queries.ts';
import { DEPLOYMENTS, fillAccount } from './rows.ts';

const CLIENTS = 16;
const ROUND_MS = 1_000;
const ROUNDS = scaledRounds(5);
/** The goals of the ratio: a list of 100 rows, and all other reads. */
const [LIST_GOAL, GOAL] = [0.45, 0.5];
const PAGE_SAMPLES = 60;
/** Measures only the endpoints whose path starts with one of the arguments, such as `/account`, and no pages. */
const ONLY = process.argv.slice(2);

interface ApiResponse {
  status: number;
  body: Record<string, unknown>;
}

function get(port: number, path: string, agent: Agent): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const headers = { Host: `localhost:${port}`, Authorization: `Bearer ${API_KEY}` };
    request({ host: '127.0.0.1', port, path, agent, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => (text += part));
      res.on('end', () => resolve({ status: res.statusCode!, body: JSON.parse(text) as ApiResponse['body'] }));
      res.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

/**
 * Returns the requests a second that a server answers. Each client waits for a response before it sends again. @throws
 * for a status other than 200.
 */
async function measureRate({ port }: BenchServer, path: string, agent: Agent): Promise<number> {
  const startedMs = performance.now();
  let responses = 0;
  const client = async () => {
    while (performance.now() - startedMs < ROUND_MS) {
      const { status, body } = await get(port, path, agent);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
      responses += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return responses / ((performance.now() - startedMs) / 1000);
}

/** Measures every read endpoint, alternating with the bare server. */
async function readEndpoints(berth: BenchServer, bare: BenchServer, paths: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  console.log('| read | Berth, requests/s | bare express, requests/s | ratio | goal | |\n|---|---|---|---|---|---|');
  for (const path of paths) {
    const rates = { berth: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [bareRate, berthRate] = [await measureRate(bare, path, agent), await measureRate(berth, path, agent)];
      if (round === 0) continue; // The first round only warms up.
      rates.bare.push(bareRate);
      rates.berth.push(berthRate);
    }
    const medianRatio = median(rates.berth.map((each, i) => each / rates.bare[i]!));
    const goal = path.includes('?') ? LIST_GOAL : GOAL;
    const shownPath = path.replace(/\/[a-z0-9.-]*\d[a-z0-9.-]*$/, '/{id}');
    console.log(
      `| GET ${shownPath} | ${median(rates.berth).toFixed(0)} | ${median(rates.bare).toFixed(0)} | ${medianRatio.toFixed(2)} | ${goal} | ${medianRatio >= goal ? 'met' : 'MISSED'} |`,
    );
  }
  agent.destroy();
}

/** Reads the whole list page by page, then measures pages at different positions in turn. */
async function measurePages(berth: BenchServer): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const cursors: (string | undefined)[] = [undefined];
  let rows = 0;
  for (;;) {
    const cursor = cursors.at(-1);
    const { body } = await get(berth.port, pagePath(cursor), agent);
    rows += (body['deployments'] as unknown[]).length;
    const nextCursor = body['nextCursor'] as string | undefined;
    if (nextCursor === undefined) break;
    cursors.push(nextCursor);
  }
  if (rows < DEPLOYMENTS) throw new Error(`The pages contain ${rows} of ${DEPLOYMENTS} rows`);
  const positions = [1, 250, 500, 750, 1_000];
  const times = new Map(positions.map((page) => [page, [] as number[]]));
  for (let sample = 0; sample < PAGE_SAMPLES; sample += 1)
    for (const page of positions) {
      const startedMs = performance.now();
      await get(berth.port, pagePath(cursors[page - 1]), agent);
      if (sample >= PAGE_SAMPLES / 4) times.get(page)!.push(performance.now() - startedMs);
    }
  agent.destroy();
  const firstPageMs = median(times.get(1)!);
  console.log(
    `\n| page of 100 among ${DEPLOYMENTS.toLocaleString('en')} deployments | ms | beside page 1 |\n|---|---|---|`,
  );
  for (const page of positions) {
    const ms = median(times.get(page)!);
    console.log(`| ${page} | ${ms.toFixed(2)} | ${(ms / firstPageMs).toFixed(2)}x |`);
  }
}

function pagePath(cursor: string | undefined): string {
  return `/deployments?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`;
}

const berth = await startBerth({ RATE_LIMITS: 'global=100000/s' });
try {
  // This process only joins the PostgreSQL of the server.
  const postgres = await startEmbeddedPostgres(join(berth.dataDir, 'postgres'), { visitor: true });
  const { socketDir, user, database } = postgres.address;
  const client = new pg.Client({ host: socketDir, port: 5432, user, database });
  await client.connect();
  const { account, deployment, token, domain } = await fillAccount(client);
  await client.end();
  const bareServer = await startBare(join(import.meta.dirname, 'bare-server.ts'), [
    socketDir,
    user,
    database,
    account,
    deployment,
    token,
    domain,
  ]);
  try {
    console.log(heading(`${CLIENTS} clients, medians of ${ROUNDS} alternating rounds`));
    await readEndpoints(
      berth,
      bareServer,
      endpoints(deployment, token, domain)
        .map(({ path }) => path)
        .filter((path) => ONLY.length === 0 || ONLY.some((start) => path.startsWith(start))),
    );
    if (ONLY.length === 0) await measurePages(berth);
  } finally {
    await bareServer.stop();
    await postgres.stop();
  }
} finally {
  await berth.stop();
}
