import { DatabaseSync } from 'node:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A lock on a file, held until its release or the end of the process. */
export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;
// Keeps the connections reachable, because garbage collection would close them and so release their locks.
const heldConnections = new Set<DatabaseSync>();

/**
 * Acquires the lock of a file if it is free. Several shared locks can exist at the same time.
 *
 * The lock is an open SQLite transaction, which the kernel ends with the process. It also works within one process.
 *
 * @param file The file, which is created if it is missing and stays empty.
 * @returns The lock, or `null` if another holder has the lock.
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
  heldConnections.add(connection);
  return {
    release() {
      if (heldConnections.delete(connection)) connection.close();
    },
  };
}

/**
 * Makes this process the owner of a folder until the lock is released or the process ends. Stores the process id for messages.
 *
 * @throws Error if another process owns the folder. The message names the process and says what to do.
 */
export function claimFolder(folder: string): FileLock {
  const file = join(folder, 'owner.pid');
  const lock = tryFileLock(join(folder, 'owner.lock'));
  if (!lock)
    throw new Error(
      `another Berth server${describeOwner(file)} already uses ${folder}. Stop it, or set DATA_DIR to another folder.`,
    );
  writeFileSync(file, `${process.pid} ${hostname()}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(file, { force: true });
      lock.release();
    },
  };
}

/** Returns `, process 12 on host,` for the message, or an empty text if the file cannot be read. */
function describeOwner(file: string): string {
  try {
    const [pid, host] = readFileSync(file, 'utf8').trim().split(' ');
    return /^\d+$/.test(pid!) ? `, process ${pid}${host === hostname() ? '' : ` on ${host}`},` : '';
  } catch {
    return '';
  }
}
