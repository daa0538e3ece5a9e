import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { openDatabase } from '@berth/core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../crash/world.ts';

/** The number of the lock that a process holds while it migrates. */
const MIGRATION_LOCK = 7_212_002;

let world: World;
beforeEach(async () => {
  world = await createWorld({ LOG_LEVEL: 'info', ADMIN_LISTEN: '127.0.0.1:0' });
});
afterEach(() => world.drop());

describe.each(['1', '2'])('api §12: a starting server with WORKERS=%s exits with 0 at SIGTERM', (workers) => {
  it('while it waits for a database that does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const server = world.launch({ WORKERS: workers, DATABASE_URL: `postgres://berth@127.0.0.1:${port}/berth` });
    await server.printed('Waiting for the database');
    server.child.kill('SIGTERM');
    expect(await server.exited, server.output()).toBe(0);
    expect(server.output()).not.toMatch(/Berth is up|cannot start/);
  });

  it('while another process migrates the database', async () => {
    await world.database.query(`delete from migration where name like '0012-%'`);
    const other = openDatabase(world.database.address);
    const session = await other.connect();
    onTestFinished(async () => {
      await session.end();
      await other.close();
    });
    await session.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    const server = world.launch({ WORKERS: workers });
    await server.printed('Another process is migrating the database');
    server.child.kill('SIGTERM');
    expect(await server.exited, server.output()).toBe(0);
    expect(server.output()).not.toMatch(/Berth is up|cannot start/);
  });
});

it('api §12: a server that is stopped while it creates the embedded database starts again', async () => {
  const first = world.launch({ DATABASE_URL: '' });
  await first.printed('Listening for operators');
  first.child.kill('SIGTERM');
  expect(await first.exited, first.output()).toBe(0);
  const second = await world.start({ DATABASE_URL: '' });
  expect((await second.api('/healthz')).status).toBe(200);
  second.child.kill('SIGTERM');
  expect(await second.exited).toBe(0);
});
