import { spawnSync } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

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
export async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
