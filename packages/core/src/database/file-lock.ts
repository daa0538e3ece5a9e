import { DatabaseSync } from 'node:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A lock on a file. Held until it is released or the process ends. */
export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;
// Keeps the connections reachable: garbage collection would close them and release their locks.
const held = new Set<DatabaseSync>();

/**
 * Acquires the lock of a file if it is free. Several shared locks can exist at the same time.
 *
 * The lock is an SQLite transaction that is never committed, so the kernel releases it when the process ends. A file with a process
 * id could outlive the process, and the id could be reused. The lock also works between two holders in one process.
 *
 * @param file Created if it is missing; it stays empty.
 * @returns The lock, or `null` if another holder has it.
 */
export function tryFileLock(file: string, { shared = false } = {}): FileLock | null {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec(shared ? 'BEGIN' : 'BEGIN EXCLUSIVE');
    if (shared) connection.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    connection.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  held.add(connection);
  return {
    release() {
      if (held.delete(connection)) connection.close();
    },
  };
}

/** Another process owns the folder. The message names the process and says what to do. */
class FolderInUseError extends Error {
  constructor(folder: string, owner: string) {
    super(`${owner} already uses ${folder}. Stop it, or set DATA_DIR to another folder.`);
    this.name = 'FolderInUseError';
  }
}

/**
 * Makes this process the owner of a folder until it releases the lock or ends. The stored process id is only for error messages.
 *
 * @throws FolderInUseError if another process owns it.
 */
export function claimFolder(folder: string): FileLock {
  const file = join(folder, 'owner.pid');
  const lock = tryFileLock(join(folder, 'owner.lock'));
  if (!lock) throw new FolderInUseError(folder, describeOwner(file));
  writeFileSync(file, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(file, { force: true });
      lock.release();
    },
  };
}

function describeOwner(file: string): string {
  try {
    const [pid, host] = readFileSync(file, 'utf8').trim().split(' ');
    if (!/^\d+$/.test(pid!)) return 'another Berth server';
    return `another Berth server, process ${pid}${host === hostname() ? '' : ` on ${host}`},`;
  } catch {
    return 'another Berth server';
  }
}
