import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/database/embedded-postgres.ts';

const PROCESS_FILE = join(import.meta.dirname, 'embedded-postgres-process.ts');

/** Starts a process that owns or visits an embedded PostgreSQL until the end of its standard input. */
export function spawnOwner(dir: string, role: 'owner' | 'visitor' = 'owner'): ChildProcess {
  return spawn(process.execPath, [PROCESS_FILE, dir, role], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Resolves when the PostgreSQL of a process from `spawnOwner` is ready. */
export async function readAnnouncement(child: ChildProcess): Promise<{ adopted: boolean }> {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return JSON.parse(line) as { adopted: boolean };
}

export async function killProcess(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Returns the process id in the `postmaster.pid` of a folder. */
export async function postmaster(dir: string): Promise<number> {
  return Number((await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

export async function connectTo({ address }: EmbeddedPostgres): Promise<pg.Client> {
  const { socketDir, user, database } = address;
  const client = new pg.Client({ host: socketDir, port: 5432, user, database });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Returns the values of the first row, as text. */
export async function queryOnce(server: EmbeddedPostgres, sql: string): Promise<string> {
  const client = await connectTo(server);
  try {
    return Object.values<string>((await client.query(sql)).rows[0] ?? {}).join();
  } finally {
    await client.end();
  }
}
