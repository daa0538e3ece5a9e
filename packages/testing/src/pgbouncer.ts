import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
const PORT = 6432;

/** Whether the machine has PgBouncer. In CI it must have it. */
export const hasPgBouncer = PROGRAM !== undefined || process.env['CI'] !== undefined;

/** A PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  /** The address of a database as a `DATABASE_URL`. */
  url(database: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in front of a server.
 *
 * @param settings Settings of the section `pgbouncer`, such as `{ pool_mode: 'transaction' }`.
 */
export async function startPgBouncer(
  server: { socketDir: string; user: string },
  settings: Record<string, string>,
): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-pgb-'));
  const file = join(folder, 'pgbouncer.ini');
  const all = { listen_addr: '', listen_port: String(PORT), unix_socket_dir: folder, auth_type: 'any', ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  await writeFile(
    file,
    `[databases]\n* = host=${server.socketDir} port=5432 user=${server.user}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  // Like PostgreSQL, PgBouncer refuses to run as root. It needs the right to open the socket of the server.
  const { uid, gid } = await stat(server.socketDir);
  const isNamespaceNeeded = process.getuid?.() === 0 && uid === 0;
  if (process.getuid?.() === 0) for (const path of [folder, file]) await chown(path, uid, gid);
  const [command, ...args] = [...(isNamespaceNeeded ? ['unshare', '--user', '--'] : []), PROGRAM!, '-q', file];
  const child = spawn(command!, args, {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 && !isNamespaceNeeded && { uid, gid }),
  });
  const exited = once(child, 'exit');
  const url = (database: string) => `postgresql://${server.user}@${encodeURIComponent(folder)}:${PORT}/${database}`;
  for (;;) {
    const client = new pg.Client(url('postgres'));
    client.on('error', () => {});
    try {
      await client.connect();
      break;
    } catch (error) {
      if (child.exitCode !== null) throw new Error('PgBouncer has ended.', { cause: error });
      await new Promise((resolve) => void setTimeout(resolve, 20));
    } finally {
      await client.end().catch(() => {});
    }
  }
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
