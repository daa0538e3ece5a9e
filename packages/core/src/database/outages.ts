import { type ServiceError, unavailable } from '../errors.ts';

// Connection faults of node:net, classes 08 (connection) and 53 (resources), shutdown and start-up (57P0x), locks that
// could not be had in time, deadlocks, and a serialization failure.
const AWAY =
  /^(?:ECONN\w+|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|53\w{3}|57P0[1-5]|55P03|40P01|40001)$/;
// A disk that is full, fails or is read-only, and a process or machine out of descriptors.
const STORE_REFUSES = /^(?:ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE)$/;
const AWAY_MESSAGE =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Recognises the errors by which PostgreSQL, or the way to it, says "not now".
 *
 * @returns A 503 with the fault as its cause, or `null` for any other error.
 */
export function asUnavailable(thrown: unknown): ServiceError | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if ((code && AWAY.test(code) && (code !== 'ENOENT' || syscall === 'connect')) || AWAY_MESSAGE.test(error.message))
      return unavailable('The service is not available right now; try again shortly.', thrown);
    if (code && STORE_REFUSES.test(code))
      return unavailable('The service cannot store files right now; try again later.', thrown, 60);
  }
  return null;
}
