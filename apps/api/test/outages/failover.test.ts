import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@berth/core';
import { createTestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { type ReplicatedPostgres, startReplicatedPostgres } from '@berth/testing/standby';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Berth, startBerth } from '../../src/server.ts';
import { createDatabaseProxy, type DatabaseProxy } from './database-proxy.ts';

const DOMAIN = 'failover.localhost';
const CLIENTS = 3;

let servers: ReplicatedPostgres;
let proxy: DatabaseProxy;
let folder: string;
/** The server behind the proxy. */
const address = { socketDir: '', user: '', database: '' };
const nodes: Berth[] = [];

beforeAll(async () => {
  servers = await startReplicatedPostgres(
    async (primary) => {
      const database = openDatabase(primary.address);
      await database.migrate();
      await database.close();
    },
    { synchronous: true },
  );
  Object.assign(address, servers.primary.address);
  proxy = await createDatabaseProxy({ address });
  folder = await mkdtemp(join(tmpdir(), 'berth-failover-'));
  const env = testEnvironment({ url: proxy.url }, folder, { JOBS: 'off', SECRET_KEY: 'ab'.repeat(32) });
  const log = { info() {}, warn() {}, error() {} };
  for (let n = 0; n < 2; n += 1) nodes.push(await startBerth(env, log));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()));
  await proxy.close();
  await servers.stop();
  await rm(folder, { recursive: true });
});

/** Kills the primary and lets the proxy lead to the standby, as a program for high availability does. */
async function failOver(): Promise<void> {
  const data = join(servers.primary.address.socketDir, 'data');
  const postmaster = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  await proxy.refuse();
  process.kill(postmaster, 'SIGKILL');
  const standby = await servers.connect(servers.standby);
  await standby.query('select pg_promote()');
  await standby.end();
  Object.assign(address, servers.standby.address);
  await proxy.restore();
}

it('api §14: a failover of PostgreSQL to a synchronous standby loses nothing that was acknowledged, on any node', async () => {
  const clients = nodes.map((node) => ({ port: node.config.port, ...createTestClient(node.config.port) }));
  const published = new Map<string, string>();
  let linked = '';
  let attempted = '';
  let isOver = false;
  const publishing = Array.from({ length: CLIENTS }, async (_, number) => {
    const client = clients[number % clients.length]!;
    for (let n = 0; !isOver; n += 1) {
      const text = `page ${number}-${n}`;
      const response = await client.deploy({ 'index.html': text });
      if (response.status !== 201) {
        expect(response.status).toBe(503);
        continue;
      }
      const { deployment } = response.json<{ deployment: string }>();
      published.set(deployment, text);
      if (number > 0) continue;
      attempted = deployment;
      const link = await client.api(`/domains/${DOMAIN}`, { method: 'PUT', json: { deployment } });
      if (link.status < 300) linked = deployment;
      else expect(link.status).toBe(503);
    }
  });
  await expect.poll(() => published.size).toBeGreaterThan(20);
  await failOver();
  const countBefore = published.size;
  await expect.poll(() => published.size, { timeout: 30_000 }).toBeGreaterThan(countBefore + 20);
  isOver = true;
  await Promise.all(publishing);
  for (const client of clients) {
    for (const [deployment, text] of published) expect((await client.visit(deployment)).text).toBe(text);
    const shown = await client.visit(`http://${DOMAIN}:${client.port}`);
    expect([published.get(linked), published.get(attempted)]).toContain(shown.text);
  }
});
