import { type ServiceError, unavailable } from '../errors.ts';

/** The errors of node:net, and the SQL states for connections, resources, start and stop, read-only servers and conflicts. */
const UNAVAILABLE_CODES =
  /^(?:ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57P0[1-5]|25006|55P03|40P01|40001)$/;
/** The error codes of a full, broken or read-only disk, and of a system without free file descriptors. */
const STORE_REFUSES = /^(?:ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE)$/;
const OUTAGE_TEXT =
  /^(?:Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;
/** The SQL states after which a session must be replaced, because it has ended or its server is read-only. */
const BREAKS_SESSION = /^(?:08\w{3}|57P0[1-5]|25006)$/;

/** The error of a statement while the database is known to be unavailable. */
export class DatabaseAwayError extends Error {
  /** The SQL state for a failed connection. */
  readonly code = '08001';

  constructor() {
    super('The database does not answer.');
    this.name = 'DatabaseAwayError';
  }
}

/**
 * Recognises temporary errors of PostgreSQL, of the connection to PostgreSQL, and of the disk.
 *
 * @returns A 503 with the error as its cause, or `null` for any other error. The 503 has no cause while the database is known
 *   to be unavailable, so that not every request is logged.
 */
export function toUnavailable(thrown: unknown): ServiceError | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof DatabaseAwayError) return unavailable(UNAVAILABLE_MESSAGE);
    if (
      (code && UNAVAILABLE_CODES.test(code) && (code !== 'ENOENT' || syscall === 'connect')) ||
      OUTAGE_TEXT.test(error.message)
    )
      return unavailable(UNAVAILABLE_MESSAGE, thrown);
    if (code && STORE_REFUSES.test(code))
      return unavailable('The service cannot store files right now; try again later.', thrown, 60);
  }
  return null;
}

const UNAVAILABLE_MESSAGE = 'The service is not available right now; try again shortly.';

/** True if a session must be replaced after this error. */
export function breaksSession(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return BREAKS_SESSION.test(code) || OUTAGE_TEXT.test(message);
}
