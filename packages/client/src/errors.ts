import { type ErrorCode, type InputIssue, MAX_LISTED_ISSUES, type OpenEnum } from '@berth/contract';
import { readIssues } from './error-body.ts';

/**
 * The kind of an error, for programs that handle errors.
 *
 * - `network`: the server cannot be reached, or the connection broke or was too slow (408).
 * - `unavailable`: the server cannot handle requests now (503, 429, or 502 and 504 of a gateway). Try again later.
 * - `signed-out`: the credential is missing or not accepted (401, 403).
 * - `refused`: the request is invalid or not possible (400, 404, 413, 422). A different request might succeed.
 * - `folder`: the folder or one of its files cannot be read, or must not be published.
 * - `server`: the server failed (500), or sent an invalid response.
 * - `aborted`: the caller aborted.
 */
export type ClientErrorKind = 'network' | 'unavailable' | 'signed-out' | 'refused' | 'folder' | 'server' | 'aborted';

/** The optional properties of a {@link ClientError}. */
export interface ClientErrorOptions {
  /** The code of the error body, which a newer server may have added; omitted if the error did not come from the server. */
  code?: OpenEnum<ErrorCode> | undefined;
  /** The HTTP status; omitted if there is no response. */
  status?: number | undefined;
  /** The path, inside the folder, of the file that the error is about. */
  file?: string | undefined;
  /** The number of seconds after which to try again. */
  retryAfterSeconds?: number | undefined;
  /** `details` of the error body. */
  details?: unknown;
  cause?: unknown;
}

/** The error of every function of this package. Its message says what is invalid or failed, and what to do. */
export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  readonly code: OpenEnum<ErrorCode> | null;
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

/** Returns `details.state` of a 422 response, which says why a request is not possible; `null` for any other error. */
export function refusalStateOf(failure: unknown): string | null {
  if (!(failure instanceof ClientError) || failure.status !== 422) return null;
  const { state } = (failure.details ?? {}) as { state?: unknown };
  return typeof state === 'string' ? state : null;
}

/**
 * Returns the invalid fields or files that the `details` of an error list, at most 50; an empty list for other errors. The message
 * of the error describes the first of them.
 */
export function issuesOf({ details }: { details: unknown }): readonly InputIssue[] {
  return readIssues(details)?.slice(0, MAX_LISTED_ISSUES) ?? [];
}

/** Returns the message of anything thrown as a sentence, for a person. @param thrown An error or a text. */
export function errorText(thrown: unknown): string {
  const { message, code } = Object(thrown) as { message?: string; code?: string };
  const text = typeof thrown === 'string' ? thrown : message || `The command failed: ${code ?? 'unknown error'}`;
  const trimmedText = text.trim();
  return /[.?!:)]$/.test(trimmedText) ? trimmedText : `${trimmedText}.`;
}
