import { spawnSync } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A PostgreSQL server that runs on a data folder. */
export interface PostgresProcess {
  pid: number;
  /** Empty until the server listens. */
  socketDir: string;
}

/** The server on a data folder. `postmaster.pid` counts only if the process it names is such a server. */
export async function findPostgres(data: string): Promise<PostgresProcess | null> {
  const [pid, , , , socketDir = ''] = (await readIfExists(join(data, 'postmaster.pid'))).split('\n');
  return pid && (await isPostgres(Number(pid), data)) ? { pid: Number(pid), socketDir } : null;
}

/** Whether a process is the server on a data folder: ids are used again, and soon so in a container. */
export async function isPostgres(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') return (await readIfExists(`/proc/${pid}/cmdline`)).split('\0').includes(data);
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    ` -D ${data} `,
  );
}

/**
 * Kills what a server on a data folder left behind when it was killed itself. Its sessions end when they notice, but one that
 * is stopped or waits for a disk does not, and no server starts while one of them is attached to the shared memory. A new
 * server recovers from the write-ahead log, so no commit is lost. Only on Linux; elsewhere the next start waits for them.
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

/** The text of a file or of a process's entry; empty when there is none. */
export async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
