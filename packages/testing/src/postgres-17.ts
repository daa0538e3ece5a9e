import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Whether the programs of PostgreSQL 17 are installed, which exist for Linux on x64 only. */
export const HAS_POSTGRES_17 = process.platform === 'linux' && process.arch === 'x64';

/** PostgreSQL refuses to run as root, except in a user namespace. */
const PREFIX = process.getuid?.() === 0 ? ['unshare', '--user', '--'] : [];

/** Starts PostgreSQL 17 with an empty database. @returns The `DATABASE_URL`, and a function that stops the server. */
export async function startPostgres17(): Promise<{ url: string; stop(): Promise<void> }> {
  const programs = (await import('postgres-17')) as Record<'initdb' | 'postgres', string>;
  const folder = await mkdtemp(join(tmpdir(), 'berth-pg17-'));
  const data = join(folder, 'data');
  const initdb = [...PREFIX, programs.initdb, '-D', data, '-U', 'berth', '--auth=trust', '--no-sync', '-E', 'UTF8'];
  await promisify(execFile)(initdb[0]!, initdb.slice(1), { env: { LC_ALL: 'C' } });
  const flags = ['listen_addresses=', 'fsync=off', `unix_socket_directories=${folder}`].flatMap((flag) => ['-c', flag]);
  const [command, ...args] = [...PREFIX, programs.postgres, '-D', data, ...flags];
  const server = spawn(command!, args, { env: { LC_ALL: 'C' }, stdio: 'ignore' });
  const exited = once(server, 'exit');
  while (!existsSync(join(folder, '.s.PGSQL.5432'))) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL 17 exited with ${server.exitCode}`);
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
