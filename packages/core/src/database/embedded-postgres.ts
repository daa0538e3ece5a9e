import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Log, SILENT } from '../log.ts';
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
import { superviseServer } from './postgres-supervisor.ts';

/** An embedded PostgreSQL server on a Unix socket that only this user can open. */
export interface EmbeddedPostgres {
  /** Where to connect. The database exists. A restart does not change the address. */
  readonly address: Extract<DatabaseAddress, { socketDir: string }>;
  /** True if the server was already running. */
  readonly adopted: boolean;
  /**
   * Ends the server's sessions, stops it and waits until its process has ended. A visitor stops it only if no other process uses
   * it. Safe to call again.
   */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions extends PostgresOptions {
  /** True for a process that uses the server without owning its folder, and so does not supervise it. Default false. */
  visitor?: boolean;
  /** Default: no log. */
  log?: Log;
  /**
   * Called once after PostgreSQL has ended and five restarts in a row have failed. It then stays down. Default: logs the error.
   */
  giveUp?: (error: Error) => void;
}

const MAX_LAUNCHES = 2;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
/** How often to check a server that is not a child of this process. */
const WATCH_MS = 250;

/**
 * Starts PostgreSQL on a folder, or adopts a server that a killed process left running there, and restarts it within seconds
 * whenever it ends.
 *
 * A folder has one owner, which supervises and stops the server. Any number of visitors can use the server, with or without an
 * owner. Any number of processes can start at the same time. A folder is either empty or complete: a partial database of a
 * killed process is never used. Commits are durable.
 *
 * @param dir Created if it is missing, readable only by its owner. As root, PostgreSQL runs as the owner of this folder; if that
 * is root too, it runs inside a user namespace, or else as another user.
 * @throws FolderInUseError at once if another process owns the folder; any other Error says what to do if the server cannot run
 * here.
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
  let use: FileLock | null = null;
  try {
    use = await acquireUseLock(home);
    const server = await ensureRunning(plan, { mayCreate: true });
    const address = { socketDir: server.socketDir, user: POSTGRES_NAME, database: POSTGRES_NAME };
    const ending = owner ? superviseOwnServer(plan, server, options, [owner, use]) : () => releaseServer(plan, use!);
    let ended: Promise<void> | null = null;
    return { address, adopted: server.child === null, stop: () => (ended ??= ending()) };
  } catch (error) {
    owner?.release();
    use?.release();
    throw error;
  }
}

/** A server that answers. `child` is its process if this process started it, else `null`. */
interface RunningServer extends PostgresProcess {
  child: ChildProcess | null;
}

/** Acquires the lock that all processes that use the server share. Waits while the last of them stops the server. */
async function acquireUseLock(home: string): Promise<FileLock> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (;;) {
    const use = tryFileLock(join(home, 'users.lock'), { shared: true });
    if (use) return use;
    if (performance.now() > deadline)
      throw new Error(`Another process has been stopping PostgreSQL in ${home} for ${STOP_TIMEOUT_MS / 1000} s.`);
    await sleep(POLL_MS);
  }
}

/** Waits until a server answers. Launches one if none runs; only one process launches at a time. */
async function ensureRunning(
  plan: LaunchPlan,
  { mayCreate, signal }: { mayCreate: boolean; signal?: AbortSignal },
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
        if (children.length === MAX_LAUNCHES) throw new Error(`it ended immediately. ${await readLogTail(home)}`);
        await killOrphanedSessions(data);
        children.push(await launchPostgres(plan, { isRetry: children.length > 0, mayCreate }));
      }
      if (performance.now() > deadline)
        throw new Error(`it was not ready in ${START_TIMEOUT_MS / 1000} s. ${await readLogTail(home)}`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    for (const child of children)
      if (!hasEnded(child)) {
        const gone = once(child, 'exit');
        child.kill('SIGINT');
        await Promise.race([gone, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      }
    signal?.throwIfAborted();
    throw new Error(
      `The embedded PostgreSQL did not start in ${home}: ${(error as Error).message.trim()} ${OTHER_DATABASE_ADVICE}`,
      {
        cause: error,
      },
    );
  } finally {
    launching?.release();
  }
}

/** True if the database answers. With `mayCreate`, creates the database if it is missing. */
async function isReady(socketDir: string, mayCreate: boolean): Promise<boolean> {
  const code = await query(socketDir, POSTGRES_NAME, 'select 1');
  if (code === '3D000' && mayCreate) await query(socketDir, 'postgres', `create database ${POSTGRES_NAME}`);
  return code === null;
}

/** @returns `null` on success, else the error code. */
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

function superviseOwnServer(
  plan: LaunchPlan,
  server: RunningServer,
  { log = SILENT, giveUp }: EmbeddedPostgresOptions,
  locks: readonly FileLock[],
): () => Promise<void> {
  const endSupervision = superviseServer({
    server,
    ended: (running, signal) => whenEnded(running, plan.data, signal),
    restart: (signal) => ensureRunning(plan, { mayCreate: false, signal }),
    log,
    giveUp: giveUp ?? ((error) => log.error({ err: error }, 'The database could not be restarted and stays down')),
  });
  return async () => {
    await endSupervision();
    await shutDown(plan.data).finally(() => locks.forEach((lock) => lock.release()));
  };
}

/** Waits until a server has ended. @returns How it ended, as far as known. */
async function whenEnded({ pid, child }: RunningServer, data: string, signal: AbortSignal): Promise<string> {
  if (child) {
    if (!hasEnded(child)) await once(child, 'exit', { signal });
    return child.signalCode ? `signal ${constants.signals[child.signalCode]}` : `exit code ${child.exitCode}`;
  }
  while (await isPostgres(pid, data)) await sleep(WATCH_MS, undefined, { signal, ref: false });
  return `process ${pid}`;
}

/** Stops the server if no other process uses it. */
async function releaseServer({ home, data }: LaunchPlan, use: FileLock): Promise<void> {
  use.release();
  const last = tryFileLock(join(home, 'users.lock'));
  if (last) await shutDown(data).finally(() => last.release());
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
