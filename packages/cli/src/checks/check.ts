import { ClientError } from '@berth/client';
import { failureOf } from '../failure.ts';
import type { Session } from '../session.ts';
import { explainNetworkError } from './network-error.ts';

/** What a check is about, in the order of the output. */
export type CheckName = 'berth' | 'server' | 'version' | 'clock' | 'key' | 'access' | 'plan' | 'sites' | 'domains';

/** The result of one check. `next` is what the user can do about a warning or a failure. */
export interface Check {
  name: CheckName;
  status: 'ok' | 'warning' | 'failed';
  message: string;
  next: string | null;
  /** Why the check failed; `null` for any other status. */
  error: ClientError | null;
}

export function passed(name: CheckName, message: string): Check {
  return { name, status: 'ok', message, next: null, error: null };
}

export function warned(name: CheckName, message: string, next: string): Check {
  return { name, status: 'warning', message, next, error: null };
}

/** Creates a failed check from an error. @param next What to do. Default: the hint that any command gives for the error. */
export function failed(name: CheckName, error: ClientError, session: Session, next?: string | null): Check {
  const { server } = session.server;
  const failure = failureOf(error, { server, key: session.key });
  const fault = explainNetworkError(error, session);
  return {
    name,
    status: 'failed',
    message: fault ? `${server.host} cannot be reached: ${fault.cause}` : failure.message,
    next: next ?? fault?.next ?? failure.next,
    error,
  };
}

/** How long a check waits for a response, in milliseconds. */
export const CHECK_TIMEOUT_MS = 10_000;

/**
 * Runs requests with the time limit of a check.
 *
 * @throws ClientError `network` after the time limit, and every error of `send`.
 */
export async function withinTimeLimit<T>(session: Session, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  try {
    return await send(AbortSignal.any([limit, session.signal]));
  } catch (error) {
    if (!limit.aborted || session.signal.aborted) throw error;
    const { host } = session.server.server;
    throw new ClientError('network', `${host} did not respond within ${CHECK_TIMEOUT_MS / 1000} seconds.`);
  }
}

/** Returns the error of the server; throws anything else, such as Ctrl-C. */
export function serverError(thrown: unknown): ClientError {
  if (thrown instanceof ClientError && thrown.kind !== 'aborted') return thrown;
  throw thrown;
}
