import { type ServiceError, unavailable } from '../errors.ts';

// Connection faults of node:net, classes 08 (connection) and 53 (resources), shutdown and start-up (57P0x), a server that
// only reads (25006), locks that could not be had in time, deadlocks, and a serialization failure.
const AWAY =
  /^(?:ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57P0[1-5]|25006|55P03|40P01|40001)$/;
// A disk that is full, fails or is read-only, and a process or machine out of descriptors.
const STORE_REFUSES = /^(?:ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE)$/;
const AWAY_MESSAGE =
  /^(?:Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;
/** After these a session is of no use any more: it has ended, or leads to a server that takes no writes. */
const BREAKS_SESSION = /^(?:08\w{3}|57P0[1-5]|25006)$/;

/** The database is known to be away, or was found to be while something was waited for. */
export class DatabaseAwayError extends Error {
  /** That of SQL for a connection that could not be made. */
  readonly code = '08001';

  constructor() {
    super('The database does not answer.');
    this.name = 'DatabaseAwayError';
  }
}

/**
 * Recognises the errors by which PostgreSQL, or the way to it, says "not now".
 *
 * @returns A 503 with the fault as its cause, or `null` for any other error. There is no cause, and so no log line for each
 *   request, when the database was known to be away.
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

/** Whether an error of a session says that the session has to be replaced. */
export function breaksSession(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return BREAKS_SESSION.test(code) || AWAY_MESSAGE.test(message);
}
