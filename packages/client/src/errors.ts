import type { ErrorCode } from '@berth/contract';

/**
 * What kind of trouble it is, for programs that act on it.
 *
 * - `network`: the server could not be reached, or the line broke or was too slow (408).
 * - `unavailable`: the server is there, but cannot answer now (503, 429, or a gateway's 502, 504): try again later.
 * - `signed-out`: no credential, or one that is not taken (401, 403).
 * - `refused`: what was asked cannot be done as it is (400, 404, 413, 422): another request might.
 * - `folder`: the folder or one of its files cannot be read, or must not be published.
 * - `server`: the server made a mistake (500), or answered what nobody understands.
 * - `aborted`: the caller gave up.
 */
export type ClientErrorKind = 'network' | 'unavailable' | 'signed-out' | 'refused' | 'folder' | 'server' | 'aborted';

/** What a {@link ClientError} tells besides its message. */
export interface ClientErrorOptions {
  /** The code of the error body; none when it did not come from the server. */
  code?: ErrorCode | undefined;
  /** The HTTP status; none when there was no answer. */
  status?: number | undefined;
  /** The path, inside the folder, of the file it is about. */
  file?: string | undefined;
  /** When it is worth trying again, in seconds. */
  retryAfterSeconds?: number | undefined;
  /** `details` of the error body. */
  details?: unknown;
  cause?: unknown;
}

/** The one error of this package. Its message is for people: what was wrong, and what would be right. */
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

/** The error of what the caller gave up. */
export function aborted(cause?: unknown): ClientError {
  return new ClientError('aborted', 'It was given up before its end.', { cause });
}

/** Which state stood in the way of what was asked: `details.state` of a 422; `null` when that is not what it says. */
export function stateOf(failure: unknown): string | null {
  if (!(failure instanceof ClientError) || failure.status !== 422) return null;
  const { state } = (failure.details ?? {}) as { state?: unknown };
  return typeof state === 'string' ? state : null;
}
