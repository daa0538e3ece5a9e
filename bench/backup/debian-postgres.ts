import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PREFIX = process.getuid?.() === 0 ? ['unshare', '--user', '--'] : [];
const POLL_MS = 20;

/** A PostgreSQL server of the system, with the `pg_dump` of its version. */
export interface DebianPostgres {
  url: string;
  version: string;
  /** Runs `pg_dump` in its own format into a file. */
  dump(file: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the newest PostgreSQL of Debian on a new folder. @throws Error if none is installed. */
export async function startDebianPostgres(folder: string): Promise<DebianPostgres> {
  const programs = globSync('/usr/lib/postgresql/*/bin/postgres').toSorted().map(dirname).at(-1);
  if (programs === undefined) throw new Error('This benchmark needs the Debian package "postgresql".');
  await mkdir(folder);
  if (process.getuid?.() === 0) await chown(folder, 0, 0);
  const data = join(folder, 'data');
  const program = (name: string, ...args: string[]) =>
    [...PREFIX, join(programs, name), ...args] as [string, ...string[]];
  const [initdb, ...initdbArgs] = program('initdb', '-D', data, '-U', 'berth', '--auth=trust', '-E', 'UTF8');
  await run(initdb, initdbArgs, { env: { LC_ALL: 'C', PATH: process.env['PATH'] } });
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`].flatMap((each) => ['-c', each]);
  const [postgres, ...args] = program('postgres', '-D', data, ...settings);
  const server = spawn(postgres, args, { env: { LC_ALL: 'C' }, stdio: 'ignore' });
  const exited = once(server, 'exit');
  // Fails until the server is ready.
  const createDatabase = () => run(join(programs, 'createdb'), ['-h', folder, '-U', 'berth', 'berth']);
  for (let isReady = false; !isReady;) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL exited with ${server.exitCode}.`);
    isReady = await createDatabase().then(
      () => true,
      () => sleep(POLL_MS, false),
    );
  }
  const { stdout } = await run(join(programs, 'pg_dump'), ['--version']);
  return {
    url: `postgresql://berth@${encodeURIComponent(folder)}:5432/berth`,
    version: /\d+\.\d+/.exec(stdout)![0],
    dump: async (file) => {
      await run(join(programs, 'pg_dump'), ['-h', folder, '-U', 'berth', '-Fc', '-f', file, 'berth']);
    },
    async stop() {
      server.kill('SIGINT');
      await exited;
    },
  };
}
