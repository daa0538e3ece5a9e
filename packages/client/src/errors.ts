import type { ErrorCode } from '@berth/contract';

/**
 * The kind of an error, for programs that act on it.
 *
 * - `network`: the server cannot be reached, or the connection broke or was too slow (408).
 * - `unavailable`: the server is up but cannot answer now (503, 429, or a gateway's 502 or 504). Try again later.
 * - `signed-out`: the credential is missing or not accepted (401, 403).
 * - `refused`: the request is invalid or not possible (400, 404, 413, 422). A different request might succeed.
 * - `folder`: the folder or one of its files cannot be read, or must not be published.
 * - `server`: the server failed (500), or its response cannot be understood.
 * - `aborted`: the caller aborted.
 */
export type ClientErrorKind = 'network' | 'unavailable' | 'signed-out' | 'refused' | 'folder' | 'server' | 'aborted';

/** The properties of a {@link ClientError} besides its message. */
export interface ClientErrorOptions {
  /** The code of the error body; omitted if the error did not come from the server. */
  code?: ErrorCode | undefined;
  /** The HTTP status; omitted if there was no response. */
  status?: number | undefined;
  /** The path, inside the folder, of the file that the error is about. */
  file?: string | undefined;
  /** The number of seconds after which to try again. */
  retryAfterSeconds?: number | undefined;
  /** `details` of the error body. */
  details?: unknown;
  cause?: unknown;
}

/** The only error class of this package. Its message is for people: it says what is invalid or failed, and what to do. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  readonly code: ErrorCode | null;
  readonly status: number | null;
  readonly file: string | null;
  readonly retryAfterSeconds: number | null;
  readonly details: unknown;

  constructor(kind: ClientErrorKind, message: string, options: ClientErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'ClientError';
    this.kind = kind;
    this.code = options.code ?? null;
    this.status = options.status ?? null;
    this.file = options.file ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.details = options.details;
  }
}

/** Creates the error for a call that the caller aborted. */
export function abortedError(cause?: unknown): ClientError {
  return new ClientError('aborted', 'The operation was aborted.', { cause });
}

/** Returns the state that made a request impossible: `details.state` of a 422. `null` for any other error. */
export function refusalStateOf(failure: unknown): string | null {
  if (!(failure instanceof ClientError) || failure.status !== 422) return null;
  const { state } = (failure.details ?? {}) as { state?: unknown };
  return typeof state === 'string' ? state : null;
}

/** Returns a text about anything thrown, for a person: the message of an error, as a sentence. @param thrown An error or its text. */
export function errorText(thrown: unknown): string {
  const { message, code } = Object(thrown) as NodeJS.ErrnoException;
  const text = typeof thrown === 'string' ? thrown : message || `The command failed: ${code ?? 'unknown error'}`;
  const clean = text.trim();
  return /[.?!:)]$/.test(clean) ? clean : `${clean}.`;
}
