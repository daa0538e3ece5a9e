import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startProcess } from '../test-server.ts';

const PAGE = { 'index.html': '<h1>Ahoy</h1>' };

describe('servers on a data folder without DATABASE_URL', { timeout: 120_000 }, () => {
  let dataDir: string;
  let postmaster: string;
  let key: string;
  let first: Deployment;
  let running: ServerProcess[] = [];
  const start = () => startProcess({ NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir });
  const keysIn = (servers: ServerProcess[]) =>
    servers.flatMap((server) => server.output().match(/^ *ship-[0-9a-f]{32}$/gm) ?? []);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'berth-embedded-'));
    postmaster = join(dataDir, 'postgres/data/postmaster.pid');
  });
  afterAll(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    if (existsSync(postmaster)) process.kill(Number((await readFile(postmaster, 'utf8')).split('\n')[0]), 'SIGINT');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });

  it('contract §8, §10: two that start at once on an empty folder share one database, one secret and one printed key', async () => {
    running = await Promise.all([start(), start()]);
    const [one, other] = running as [ServerProcess, ServerProcess];
    const keys = keysIn(running);
    expect(keys).toHaveLength(1);
    key = keys[0]!.trim();

    first = await one.publish(PAGE, { key });
    await other.publish(PAGE, { key });
    expect((await other.visit(first.deployment)).text).toBe(PAGE['index.html']);
    const page = (await one.api('/deployments?limit=1', { key })).json<{ nextCursor: string }>();
    const rest = (await other.api(`/deployments?cursor=${page.nextCursor}`, { key })).json<{
      deployments: Deployment[];
    }>();
    expect(rest.deployments.map(({ deployment }) => deployment)).toEqual([first.deployment]);
  });

  it('stack, database: one left over by kill -9 is adopted with what it holds, and stopped at the end', async () => {
    for (const { child } of running) child.kill('SIGKILL');
    for (const { exited } of running) expect(await exited).toBe('SIGKILL');
    const leftOver = await readFile(postmaster, 'utf8');

    const server = await start();
    running = [server];
    expect(keysIn(running)).toEqual([]);
    expect((await readFile(postmaster, 'utf8')).split('\n')[0]).toBe(leftOver.split('\n')[0]);
    expect((await server.visit(first.deployment)).text).toBe(PAGE['index.html']);
    await server.publish(PAGE, { key });

    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(existsSync(postmaster)).toBe(false);
  });
});
