import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@berth/core';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { type LaunchedProcess, launchProcess, type ServerProcess, whenUp } from '@berth/testing/process';
import { askerOf } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { type Berth, startBerth } from '../../src/server.ts';
import { createHistory, type History } from './history.ts';

/** A data folder and a database that outlive the processes that use them, and what clients know of both. */
export interface World {
  database: TestDatabase;
  dataDir: string;
  packsDir: string;
  history: History;
  /** The environment of a process on this world. Its sweep has no grace periods, unless `more` is {@link PATIENT}. */
  env(more?: Record<string, string>): Record<string, string>;
  /** Starts the real program; it may end before it is ready. */
  launch(more?: Record<string, string>): LaunchedProcess;
  /** Starts the real program and waits until it is ready. */
  start(more?: Record<string, string>): Promise<ServerProcess>;
  /** Stops all processes of the world and removes its data. */
  drop(): Promise<void>;
}

/** A sweep that removes nothing. */
export const PATIENT = { SWEEP_GRACE: '1h', BOOT_STALE: '1h' };

/**
 * @param settings Settings of all its processes.
 * @param server The PostgreSQL server for its database. Default: that of the test run.
 */
export async function createWorld(
  settings: Record<string, string> = {},
  server?: TestDatabase['address'],
): Promise<World> {
  const database = await createTestDatabase(server);
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-crash-'));
  const launched: LaunchedProcess[] = [];
  const env: World['env'] = (more) =>
    testEnvironment(database, dataDir, {
      COMPRESSION: 'on',
      SWEEP_GRACE: '0s',
      BOOT_STALE: '0s',
      LOG_LEVEL: 'error',
      ...settings,
      ...more,
    });
  const launch: World['launch'] = (more) => {
    const one = launchProcess(env(more));
    launched.push(one);
    return one;
  };
  return {
    database,
    dataDir,
    packsDir: join(dataDir, 'packs'),
    history: createHistory(),
    env,
    launch,
    start: (more) => whenUp(launch(more)),
    async drop() {
      for (const { child } of launched) child.kill('SIGKILL');
      await Promise.all(launched.map(({ exited }) => exited));
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const silent: Log = { info() {}, warn() {}, error() {} };

/** Runs a server on a world, in this process, during `work`. */
export async function withServer<T>(
  env: Record<string, string>,
  work: (asker: ReturnType<typeof askerOf>, berth: Berth) => Promise<T>,
): Promise<T> {
  const berth = await startBerth(env, silent);
  try {
    return await work(askerOf(berth.config.port), berth);
  } finally {
    await berth.close();
  }
}
