import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A running server with an empty database. */
interface StartedPostgres {
  /** The `DATABASE_URL`. */
  url: string;
  stop(): Promise<void>;
}

/** A version of PostgreSQL before that of the embedded server. */
interface OlderPostgres {
  version: number;
  start(): Promise<StartedPostgres>;
}

type Programs = Record<'initdb' | 'postgres', string>;

const isInstalled = process.platform === 'linux' && process.arch === 'x64';

/** The older versions that Berth supports. Their programs are installed for Linux on x64 only; elsewhere the list is empty. */
export const OLDER_POSTGRES: readonly OlderPostgres[] = isInstalled
  ? [
      { version: 16, start: async () => start((await import('postgres-16')) as Programs) },
      { version: 17, start: async () => start((await import('postgres-17')) as Programs) },
    ]
  : [];

/** PostgreSQL refuses to run as root, except in a user namespace. */
const PREFIX = process.getuid?.() === 0 ? ['unshare', '--user', '--'] : [];

async function start(programs: Programs): Promise<StartedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-older-'));
  const data = join(folder, 'data');
  const initdb = [...PREFIX, programs.initdb, '-D', data, '-U', 'berth', '--auth=trust', '--no-sync', '-E', 'UTF8'];
  await promisify(execFile)(initdb[0]!, initdb.slice(1), { env: { LC_ALL: 'C' } });
  const flags = ['listen_addresses=', 'fsync=off', `unix_socket_directories=${folder}`].flatMap((flag) => ['-c', flag]);
  const [command, ...args] = [...PREFIX, programs.postgres, '-D', data, ...flags];
  const server = spawn(command!, args, { env: { LC_ALL: 'C' }, stdio: 'ignore' });
  const exited = once(server, 'exit');
  while (!existsSync(join(folder, '.s.PGSQL.5432'))) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL exited with ${server.exitCode}`);
    await sleep(10);
  }
  return {
    url: `postgresql://berth@${encodeURIComponent(folder)}:5432/postgres`,
    async stop() {
      server.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
