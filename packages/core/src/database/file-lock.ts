import { DatabaseSync } from 'node:sqlite';

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
