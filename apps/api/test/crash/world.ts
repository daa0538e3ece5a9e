import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@berth/core';
import { createTestDatabase, type TestDatabase } from '@berth/testing/database';
import { type LaunchedProcess, launchProcess, type ServerProcess, whenUp } from '@berth/testing/process';
import { createTestClient, type TestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { type Berth, startBerth } from '../../src/server.ts';
import { createHistory, type History } from './history.ts';

/** A data folder and a database that outlive the processes that use them, and what clients know about both. */
export interface World {
  database: TestDatabase;
  dataDir: string;
  packsDir: string;
  history: History;
  /** Returns the environment of a process. Its sweep has no grace times, unless `more` is {@link PATIENT}. */
  env(more?: Record<string, string>): Record<string, string>;
  launch(more?: Record<string, string>): LaunchedProcess;
  start(more?: Record<string, string>): Promise<ServerProcess>;
  /** Stops all processes of the world and removes its data. */
  drop(): Promise<void>;
}

/** Settings of a sweep that removes nothing recent. */
export const PATIENT = { SWEEP_GRACE: '1h', BOOT_STALE: '1h' };

/** Creates a world without running processes. @param settings Environment variables of all processes. */
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
    const launchedProcess = launchProcess(env(more));
    launched.push(launchedProcess);
    return launchedProcess;
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

const silentLog: Log = { info() {}, warn() {}, error() {} };

/** Runs a server in this process during `work`. */
export async function withServer<T>(
  env: Record<string, string>,
  work: (client: TestClient, berth: Berth) => Promise<T>,
): Promise<T> {
  const berth = await startBerth(env, silentLog);
  try {
    return await work(createTestClient(berth.config.port), berth);
  } finally {
    await berth.close();
  }
}
