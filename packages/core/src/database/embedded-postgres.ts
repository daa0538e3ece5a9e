import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SILENT } from '../log.ts';
import { postgresRestarts } from '../metrics.ts';
import type { DatabaseAddress } from './sessions.ts';
import { makeFolder } from './data-folder.ts';
import { claimFolder, type FileLock, tryFileLock } from './file-lock.ts';
import {
  findPostgres,
  findPostgresPrograms,
  isPostgres,
  killOrphanedSessions,
  type LaunchPlan,
  launchPostgres,
  OTHER_DATABASE_ADVICE,
  POSTGRES_NAME,
  POSTGRES_PORT,
  type PostgresOptions,
  type PostgresProcess,
  readLogTail,
} from './postgres-launch.ts';

/** An embedded PostgreSQL server on a Unix socket that only this user can open. */
export interface EmbeddedPostgres {
  /** The address of the database. A restart does not change it. */
  readonly address: Extract<DatabaseAddress, { socketDir: string }>;
  /** Whether the server was already running. */
  readonly adopted: boolean;
  /** Stops the server and its sessions. With `visitor`, only if no other process uses it. Waits until it has ended. Safe to repeat. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions extends PostgresOptions {
  /** True for a process that uses the server without owning its folder, and so does not supervise it. Default false. */
  visitor?: boolean;
  /** Aborted to give up the start. */
  signal?: AbortSignal | undefined;
  /** Called once after five restarts in a row have failed. PostgreSQL then stays down. Default: logs the error. */
  giveUp?: (error: Error) => void;
}

const MAX_LAUNCHES = 2;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
/** The interval of the checks of a server that is not a child of this process. */
const WATCH_MS = 250;
/** The number of failed restarts in a row after which PostgreSQL stays down. */
const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 4_000;
/** The time after which a server that ended is restarted without a pause. */
const SETTLED_MS = 10_000;
/** The maximum pause before the restart of a server that starts but soon ends again. */
const MAX_REPEAT_PAUSE_MS = 2_000;

/**
 * Starts PostgreSQL on a folder, or adopts a server that a killed process left running there. Restarts PostgreSQL within
 * seconds whenever it ends.
 *
 * A folder has one owner, which supervises and stops the server. Any number of visitors can use the server, with or without an
 * owner, and any number of processes can start at the same time. The partial database of a killed process is never used.
 *
 * @param dir The folder, which only its owner can read. It is created if it is missing. As root, PostgreSQL runs as the owner
 *   of the folder, in a user namespace, or as another user.
 * @throws Error if another process owns the folder, or the server cannot run. The message says what to do.
 * Source: api §10, §12; security §8.
 */
export async function startEmbeddedPostgres(
  dir: string,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const programs = await findPostgresPrograms();
  await makeFolder(dir);
  const home = await realpath(dir);
  const plan: LaunchPlan = { programs, home, data: join(home, 'data'), options };
  const owner = options.visitor ? null : claimFolder(home);
  let userLock: FileLock | null = null;
  try {
    userLock = await acquireUseLock(home, options.signal);
    const server = await ensureRunning(plan, { mayCreate: true, signal: options.signal });
    const address = { socketDir: server.socketDir, user: POSTGRES_NAME, database: POSTGRES_NAME };
    const shutDownAll = owner
      ? superviseServer(plan, server, options, [owner, userLock])
      : () => releaseServer(plan, userLock!);
    let stopped: Promise<void> | null = null;
    return { address, adopted: server.child === null, stop: () => (stopped ??= shutDownAll()) };
  } catch (error) {
    owner?.release();
    userLock?.release();
    throw error;
  }
}

/** A server that is ready. `child` is `null` if another process started the server. */
interface RunningServer extends PostgresProcess {
  child: ChildProcess | null;
}

/** Acquires the lock that all users of the server share. Waits while another process stops the server. */
async function acquireUseLock(home: string, signal?: AbortSignal): Promise<FileLock> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const lock = tryFileLock(join(home, 'users.lock'), { shared: true });
    if (lock) return lock;
    if (performance.now() > deadline)
      throw new Error(`Another process has been stopping PostgreSQL in ${home} for ${STOP_TIMEOUT_MS / 1000} s.`);
    await sleep(POLL_MS);
  }
}

/** Waits until a server is ready. Launches one if none runs and no other process is launching one. */
async function ensureRunning(
  plan: LaunchPlan,
  { mayCreate, signal }: { mayCreate: boolean; signal?: AbortSignal | undefined },
): Promise<RunningServer> {
  const { home, data } = plan;
  const deadline = performance.now() + START_TIMEOUT_MS;
  const children: ChildProcess[] = [];
  let launching: FileLock | null = null;
  try {
    for (;;) {
      signal?.throwIfAborted();
      launching ??= tryFileLock(join(home, 'launch.lock'));
      const server = await findPostgres(data);
      if (server?.socketDir && (await isReady(server.socketDir, launching !== null)))
        return { ...server, child: children.find(({ pid }) => pid === server.pid) ?? null };
      if (!server && launching && children.every(hasEnded)) {
        if (children.length === MAX_LAUNCHES)
          throw new Error(`PostgreSQL ended immediately. ${await readLogTail(home)}`);
        await killOrphanedSessions(data);
        children.push(await launchPostgres(plan, { isRetry: children.length > 0, mayCreate }));
      }
      if (performance.now() > deadline)
        throw new Error(`PostgreSQL was not ready in ${START_TIMEOUT_MS / 1000} s. ${await readLogTail(home)}`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    for (const child of children)
      if (!hasEnded(child)) {
        const exitEvent = once(child, 'exit');
        child.kill('SIGINT');
        await Promise.race([exitEvent, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      }
    signal?.throwIfAborted();
    throw new Error(
      `The embedded PostgreSQL did not start in ${home}: ${(error as Error).message.trim()} ${OTHER_DATABASE_ADVICE}`,
      { cause: error },
    );
  } finally {
    launching?.release();
  }
}

/** Whether the database responds. Creates a missing database if `mayCreate` is true. */
async function isReady(socketDir: string, mayCreate: boolean): Promise<boolean> {
  const code = await query(socketDir, POSTGRES_NAME, 'select 1');
  if (code === '3D000' && mayCreate) await query(socketDir, 'postgres', `create database ${POSTGRES_NAME}`);
  return code === null;
}

/** @returns `null` after success, or the error code. */
async function query(socketDir: string, database: string, sql: string): Promise<string | null> {
  const client = new pg.Client({
    host: socketDir,
    port: POSTGRES_PORT,
    user: POSTGRES_NAME,
    password: '',
    ssl: false,
    database,
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? 'unknown';
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Restarts a server whenever it ends: at once after the first end, then after growing pauses if the server soon ends again.
 *
 * @returns A function that ends the supervision, stops the server and releases the locks. Source: api §12.
 */
function superviseServer(
  plan: LaunchPlan,
  server: RunningServer,
  { log = SILENT, giveUp }: EmbeddedPostgresOptions,
  locks: readonly FileLock[],
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });

  async function restartWithRetries(): Promise<RunningServer> {
    for (let failures = 0; ;) {
      try {
        return await ensureRunning(plan, { mayCreate: false, signal });
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        if (failures === MAX_FAILURES)
          throw new Error(
            `The database ended and could not be started ${failures} times in a row. ${(error as Error).message}`,
            { cause: error },
          );
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
        log.error({ err: error, failures, pauseMs }, 'The database did not start; trying again');
        await pause(pauseMs);
      }
    }
  }

  async function keepRunning(): Promise<void> {
    let current = server;
    for (let quickEnds = 0; ;) {
      const startedAt = performance.now();
      const reason = await whenEnded(current, plan.data, signal);
      const endedAt = performance.now();
      quickEnds = endedAt - startedAt < SETTLED_MS ? quickEnds + 1 : 0;
      log.error({}, `The database ended (${reason}); restarting`);
      if (quickEnds > 1) await pause(Math.min(FIRST_PAUSE_MS * 2 ** (quickEnds - 2), MAX_REPEAT_PAUSE_MS));
      current = await restartWithRetries();
      postgresRestarts.value += 1;
      log.warn({ afterMs: Math.round(performance.now() - endedAt) }, 'The database is back');
    }
  }

  const supervision = keepRunning().catch((error: Error) => {
    if (signal.aborted) return;
    if (giveUp) giveUp(error);
    else log.error({ err: error }, 'The database could not be restarted and stays down');
  });
  return async () => {
    stopping.abort();
    await supervision;
    await shutDown(plan.data).finally(() => locks.forEach((lock) => lock.release()));
  };
}

async function whenEnded({ pid, child }: RunningServer, data: string, signal: AbortSignal): Promise<string> {
  if (child) {
    if (!hasEnded(child)) await once(child, 'exit', { signal });
    return child.signalCode ? `signal ${constants.signals[child.signalCode]}` : `exit code ${child.exitCode}`;
  }
  while (await isPostgres(pid, data)) await sleep(WATCH_MS, undefined, { signal, ref: false });
  return `process ${pid}`;
}

async function releaseServer({ home, data }: LaunchPlan, userLock: FileLock): Promise<void> {
  userLock.release();
  const exclusiveLock = tryFileLock(join(home, 'users.lock'));
  if (exclusiveLock) await shutDown(data).finally(() => exclusiveLock.release());
}

async function shutDown(data: string): Promise<void> {
  const server = await findPostgres(data);
  if (!server) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  process.kill(server.pid, 'SIGINT');
  while (await isPostgres(server.pid, data)) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL, process ${server.pid}, did not stop in ${STOP_TIMEOUT_MS / 1000} s.`);
    await sleep(POLL_MS);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
