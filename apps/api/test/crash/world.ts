import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@berth/core';
import { createTestDatabase, type TestDatabase } from '@berth/core/testing';
import { type Berth, startBerth } from '../../src/server.ts';
import {
  askerOf,
  type LaunchedProcess,
  launchProcess,
  type ServerProcess,
  testEnvironment,
  whenUp,
} from '../test-server.ts';
import { createHistory, type History } from './history.ts';

/** A data folder and a database that outlive the processes working on them, and what clients know of both. */
export interface World {
  database: TestDatabase;
  dataDir: string;
  history: History;
  /** The environment of a process that works on it. Its sweep has no patience, unless `more` is {@link PATIENT}. */
  env(more?: Record<string, string>): Record<string, string>;
  /** Starts the real program on it; it may well end before it is up. */
  launch(more?: Record<string, string>): LaunchedProcess;
  /** Starts the real program on it and waits until it is up. */
  start(more?: Record<string, string>): Promise<ServerProcess>;
  /** Ends what was started on it, and forgets it. */
  drop(): Promise<void>;
}

/** A sweep that leaves everything where it is. */
export const PATIENT = { SWEEP_GRACE: '1h', BOOT_STALE: '1h' };

/** @param server The PostgreSQL server that it is on. Default: that of the run. */
export async function createWorld(server?: TestDatabase['address']): Promise<World> {
  const database = await createTestDatabase(server);
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-crash-'));
  const launched: LaunchedProcess[] = [];
  const env: World['env'] = (more) =>
    testEnvironment(database, dataDir, {
      COMPRESSION: 'on',
      SWEEP_GRACE: '0s',
      BOOT_STALE: '0s',
      LOG_LEVEL: 'error',
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

/** Runs a server on a world, in this process, for as long as `work` takes. */
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
