import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { type FileLock, tryLock } from './file-lock.ts';
import {
  ADVICE,
  findPrograms,
  lastLines,
  launchPostgres,
  NAME,
  PORT,
  readIfThere,
  type ServerOptions,
} from './postgres-launch.ts';

/** A PostgreSQL server of our own, reached over a Unix socket that only this user can open. */
export interface EmbeddedPostgres {
  /** Where to connect. The database exists. */
  readonly address: Extract<DatabaseAddress, { socketDir: string }>;
  /** True when the server was running already. */
  readonly adopted: boolean;
  /**
   * Ends the server's sessions, stops it and waits until its process is gone, if this process owns it; else leaves.
   * Calling it again is no error.
   */
  stop(): Promise<void>;
  /**
   * Leaves the server to the other processes that use it; the last one stops it, unless a live process owns it.
   * Calling it again is no error.
   */
  leave(): Promise<void>;
}

const LAUNCHES = 2;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;

/**
 * Makes PostgreSQL run on a folder: adopts the server that runs there, or starts one.
 *
 * Of all live processes on a folder at most one owns the server, and only its `stop` stops it under the others. A server
 * left over by a killed process is adopted together with its ownership; one whose owner is gone is stopped by the last
 * process that uses it. Any number of processes may start at once. A folder is either
 * empty or complete: a database half made by a killed process is never used. Commits are durable.
 *
 * @param dir Made when missing, readable by its owner alone. As root, PostgreSQL runs as the owner of this folder; if
 * that is root too, inside a user namespace or else as another user.
 * @throws Error with what to do about it when the server cannot run here.
 * Source: contract §10; security §8.
 */
export async function startEmbeddedPostgres(dir: string, options: ServerOptions = {}): Promise<EmbeddedPostgres> {
  const programs = await findPrograms();
  await mkdir(dir, { recursive: true });
  const home = await realpath(dir);
  const data = join(home, 'data');
  const plan = { programs, home, data, options };
  const deadline = performance.now() + START_TIMEOUT_MS;
  let lock: FileLock | null = null;
  let use: FileLock | null = null;
  const children: ChildProcess[] = [];
  try {
    for (;;) {
      // Cannot be had while the last process that uses the server stops it.
      use ??= tryLock(join(home, 'users.lock'), { shared: true });
      lock ??= tryLock(join(home, 'owner.lock'));
      const idle = children.every(hasEnded);
      const server = await findServer(data);
      if (use && server?.socketDir && (await isReady(server.socketDir, lock !== null))) {
        const address = { socketDir: server.socketDir, user: NAME, database: NAME };
        return { address, adopted: children.every(({ pid }) => pid !== server.pid), ...endings(home, lock, use) };
      }
      if (!server && use && lock && idle) {
        if (children.length === LAUNCHES) throw new Error(`it ended at once. ${await lastLines(home)}`);
        children.push(await launchPostgres(plan, children.length > 0));
      }
      if (performance.now() > deadline)
        throw new Error(`it was not ready in ${START_TIMEOUT_MS / 1000} s. ${await lastLines(home)}`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    for (const child of children) if (!hasEnded(child)) child.kill('SIGINT');
    lock?.release();
    use?.release();
    throw new Error(`The embedded PostgreSQL did not start in ${home}: ${(error as Error).message.trim()} ${ADVICE}`, {
      cause: error,
    });
  }
}

interface Server {
  pid: number;
  /** Empty until the server listens. */
  socketDir: string;
}

/** The server that runs on a data folder. What `postmaster.pid` says is believed only of a process that is such a server. */
async function findServer(data: string): Promise<Server | null> {
  const [pid, , , , socketDir = ''] = (await readIfThere(join(data, 'postmaster.pid'))).split('\n');
  return pid && (await isServer(Number(pid), data)) ? { pid: Number(pid), socketDir } : null;
}

/** Whether a process is the server on a data folder: ids are used again, and soon so in a container. */
async function isServer(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readIfThere(`/proc/${pid}/cmdline`)).split('\0').includes(data);
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    ` -D ${data} `,
  );
}

/** Whether the database answers. An owner makes it if it is missing. */
async function isReady(socketDir: string, owner: boolean): Promise<boolean> {
  const code = await query(socketDir, NAME, 'select 1');
  if (code === '3D000' && owner) await query(socketDir, 'postgres', `create database ${NAME}`);
  return code === null;
}

/** @returns `null` after success, else the code of the fault. */
async function query(socketDir: string, database: string, sql: string): Promise<string | null> {
  const client = new pg.Client({
    host: socketDir,
    port: PORT,
    user: NAME,
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

/** The two ways to end with a server, of which the first that is called counts. */
function endings(home: string, lock: FileLock | null, use: FileLock): Pick<EmbeddedPostgres, 'stop' | 'leave'> {
  const data = join(home, 'data');
  let ended: Promise<void> | null = null;
  const leave = () => (ended ??= leaveServer(home, lock, use));
  const stop = async () => {
    await shutDown(data).finally(() => lock?.release());
    use.release();
  };
  return { leave, stop: lock ? () => (ended ??= stop()) : leave };
}

/** Stops the server if no live process owns it and nobody else uses it, and lets go of it. */
async function leaveServer(home: string, lock: FileLock | null, use: FileLock): Promise<void> {
  const owned = lock ?? tryLock(join(home, 'owner.lock'));
  use.release();
  const alone = owned && tryLock(join(home, 'users.lock'));
  try {
    if (alone) await shutDown(join(home, 'data'));
  } finally {
    owned?.release();
    alone?.release();
  }
}

async function shutDown(data: string): Promise<void> {
  const server = await findServer(data);
  if (!server) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  process.kill(server.pid, 'SIGINT');
  while (await isServer(server.pid, data)) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL, process ${server.pid}, did not stop in ${STOP_TIMEOUT_MS / 1000} s.`);
    await sleep(POLL_MS);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}
