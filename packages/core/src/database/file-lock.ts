import { DatabaseSync } from 'node:sqlite';

/** A lock that is held until it is released or the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

const SQLITE_BUSY = 5;
// A connection that is garbage-collected closes, and its lock goes with it.
const held = new Set<DatabaseSync>();

/**
 * Takes a file's lock if nobody holds it; a shared one also beside other shared ones.
 *
 * The kernel keeps it, by way of an SQLite transaction that is never committed: no process id is written down that could
 * outlive its process or be used again. Two holders exclude each other within one process as well.
 *
 * @param file Made when missing; it stays empty.
 * @returns The lock, or `null` when somebody else holds it.
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
