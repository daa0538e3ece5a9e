import { loadavg } from 'node:os';
import { openDatabase } from '@berth/core';
import { startPgBouncer } from '@berth/testing/pgbouncer';
import { type ReplicatedPostgres, startReplicatedPostgres } from '@berth/testing/standby';
import pg from 'pg';
import { heading, median } from '../processes.ts';
import { startDelayingProxy } from './cluster.ts';
import { measureDelays } from './nodes.ts';
import { insertSites, SITES } from './rows.ts';
import { FUNCTIONS, measureSwitches, NOTIFY, SWITCH } from './switches.ts';
import { checkReader, type Truth, writeChanges } from './truth.ts';

const CHANGES = Number(process.env['CHANGES'] ?? 1_000_000);
const SWITCHES = Number(process.env['SWITCHES'] ?? 300);
const WRITERS = 16;
const SWITCHERS = 32;
const REPLICA_DELAY_MS = 5;
const SWITCH_MS = 10_000;
const NODES_DATABASE = 'nodes';

let primarySocket = '';
const proxy = await startDelayingProxy(() => primarySocket);
const servers: ReplicatedPostgres = await startReplicatedPostgres(
  async ({ address }) => {
    const database = openDatabase(address);
    await database.migrate();
    await database.close();
    const client = new pg.Client({ host: address.socketDir, user: address.user, database: address.database });
    await client.connect();
    await insertSites(client);
    await client.query(SWITCH);
    await client.query(`create database ${NODES_DATABASE}`);
    await client.end();
  },
  {
    synchronous: true,
    source: (socketDir) => {
      primarySocket = socketDir;
      return proxy.socketDir;
    },
  },
);
const pooler = await startPgBouncer(servers.primary.address, {
  pool_mode: 'transaction',
  ignore_startup_parameters: 'options',
});
const urlOf = ({ socketDir, user }: { socketDir: string; user: string }, database: string) =>
  `postgresql://${user}@${encodeURIComponent(socketDir)}:5432/${database}`;

async function withClients<T>(
  count: number,
  settings: string,
  work: (clients: readonly pg.Client[]) => Promise<T>,
): Promise<T> {
  const clients = await Promise.all(Array.from({ length: count }, () => servers.connect(servers.primary)));
  try {
    for (const client of clients) await client.query(settings);
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function compareRates(): Promise<void> {
  proxy.delayMs = REPLICA_DELAY_MS;
  const listener = await servers.connect(servers.primary);
  await listener.query('listen berth_site; listen berth_activity');
  const rates = await withClients(SWITCHERS, 'set synchronous_commit = on', async (clients) => {
    const log = [await measureSwitches(clients, SWITCH_MS), await measureSwitches(clients, SWITCH_MS)];
    const { rows } = await listener.query<{ body: string }>(FUNCTIONS);
    await listener.query(NOTIFY);
    const notify = [await measureSwitches(clients, SWITCH_MS), await measureSwitches(clients, SWITCH_MS)];
    for (const { body } of rows) await listener.query(body);
    return { log: median(log), notify: median(notify) };
  });
  await listener.end();
  proxy.delayMs = 0;
  const times = rates.log / rates.notify;
  console.log(
    `| switches of a domain, ${SWITCHERS} clients, synchronous replica ${REPLICA_DELAY_MS} ms behind | ${rates.log.toFixed(0)}/s; ` +
      `NOTIFY ${rates.notify.toFixed(0)}/s; ${times.toFixed(1)} times | 10 times | ${times >= 10 ? 'met' : 'MISSED'} |`,
  );
}

async function checkTruth(): Promise<void> {
  const truth: Truth = { acknowledged: new Uint32Array(SITES), changes: 0 };
  const { primary, standby } = servers;
  const start = performance.now();
  let isWriting = true;
  const writing = withClients(WRITERS, 'set synchronous_commit = remote_apply', (clients) =>
    writeChanges(clients, truth, CHANGES),
  ).finally(() => (isWriting = false));
  const urls = {
    directly: urlOf(primary.address, primary.address.database),
    'through PgBouncer (mode transaction)': pooler.url(primary.address.database),
    'on the standby': urlOf(standby.address, standby.address.database),
  };
  const [findings] = await Promise.all([
    Promise.all(Object.values(urls).map((url) => checkReader(url, truth, () => isWriting))),
    writing,
  ]);
  const seconds = (performance.now() - start) / 1_000;
  for (const [index, how] of Object.keys(urls).entries()) {
    const { reads, stale, lost, gaps } = findings[index]!;
    console.log(
      `| ${truth.changes} changes by ${WRITERS} writers in ${seconds.toFixed(0)} s, read ${how} | ${stale} stale, ${lost} lost, ` +
        `${reads} reads, ${gaps} gaps | 0 stale, 0 lost | ${stale + lost === 0 ? 'met' : 'MISSED'} |`,
    );
  }
}

async function checkNodes(): Promise<void> {
  const { all, staleAfterStop, staleInSameNode } = await measureDelays(
    urlOf(servers.primary.address, NODES_DATABASE),
    SWITCHES,
  );
  const sorted = all.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!;
  console.log(
    `| ${all.length} switches, until another node shows them | median ${median(all).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, most ` +
      `${sorted.at(-1)!.toFixed(0)} ms | p99 300 ms | ${p99 <= 300 ? 'met' : 'MISSED'} |`,
  );
  console.log(
    `| visits of an old site in the node that answered; in a node that was stopped for 10 s | ${staleInSameNode}; ` +
      `${staleAfterStop} of 50 | 0 | ${staleInSameNode + staleAfterStop === 0 ? 'met' : 'MISSED'} |`,
  );
}

try {
  console.log(heading(`load ${loadavg()[0]!.toFixed(1)}`));
  console.log('| change log | measured | goal | |\n|---|---|---|---|');
  for (const [part, measure] of Object.entries({ switches: compareRates, nodes: checkNodes, truth: checkTruth }))
    if ((process.env['PART'] ?? part) === part) await measure();
} finally {
  await pooler.stop();
  await servers.stop();
  await proxy.close();
}
