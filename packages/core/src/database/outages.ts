import { type ServiceError, unavailable } from '../errors.ts';

// Connection errors of node:net, classes 08 (connection) and 53 (resources), shutdown and start-up (57P0x), a read-only server
// (25006), lock timeouts, deadlocks, and serialization failures.
const AWAY =
  /^(?:ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57P0[1-5]|25006|55P03|40P01|40001)$/;
// A disk that is full, broken or read-only, and a process or machine without free file descriptors.
const STORE_REFUSES = /^(?:ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE)$/;
const AWAY_MESSAGE =
  /^(?:Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;
/** After these errors a session must be replaced: it has ended, or its server is read-only. */
const BREAKS_SESSION = /^(?:08\w{3}|57P0[1-5]|25006)$/;

/** The database is known to be away, or went away during a statement. */
export class DatabaseAwayError extends Error {
  /** The SQL state for a failed connection. */
  readonly code = '08001';

  constructor() {
    super('The database does not answer.');
    this.name = 'DatabaseAwayError';
  }
}

/**
 * Recognises temporary errors of PostgreSQL, of the connection to it, and of the disk.
 *
 * @returns A 503 with the error as its cause, or `null` for any other error. While the database is known to be away there is no
 *   cause, so that not every request is logged.
 */
export function toUnavailable(thrown: unknown): ServiceError | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof DatabaseAwayError) return unavailable(NOT_NOW);
    if ((code && AWAY.test(code) && (code !== 'ENOENT' || syscall === 'connect')) || AWAY_MESSAGE.test(error.message))
      return unavailable(NOT_NOW, thrown);
    if (code && STORE_REFUSES.test(code))
      return unavailable('The service cannot store files right now; try again later.', thrown, 60);
  }
  return null;
}

const NOT_NOW = 'The service is not available right now; try again shortly.';

/** True if a session must be replaced after this error. */
export function breaksSession(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return BREAKS_SESSION.test(code) || AWAY_MESSAGE.test(message);
}
