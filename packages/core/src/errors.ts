import { type DetailsOf, ERROR_STATUS, type ErrorCode, type FileRefusals } from '@berth/contract';

interface ErrorExtras<C extends ErrorCode> {
  details?: DetailsOf<C>;
  /** The underlying error, for the operator's log only. */
  cause?: unknown;
  /** The number of whole seconds after which the caller can retry; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** The limit that was reached; sent as the `RateLimit` headers. */
  rateLimit?: ReachedLimit;
}

/** A rate limit that the caller has used up. Source: api §7. */
export interface ReachedLimit {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * The error that services throw: a code for programs, a message for people, and a cause for the operator. REST and tRPC
 * convert it to a response. Source: api §2.
 */
export class ServiceError<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly details: DetailsOf<C> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: ReachedLimit | undefined;

  constructor(code: C, message: string, extras: ErrorExtras<C> = {}) {
    super(message, { cause: extras.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = extras.details;
    this.retryAfterSeconds = extras.retryAfterSeconds;
    this.rateLimit = extras.rateLimit;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Returns the same 404 for a missing resource and for a resource of another account. Source: api §2; security T22. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `There is no such ${what}.`);
}

/** Returns a 400 about one input. */
export function invalid(path: string, message: string): ServiceError {
  return new ServiceError('validation_failed', `${path}: ${message}`, { details: { issues: [{ path, message }] } });
}

/** A 400 about files of a deploy. */
export class InvalidFiles extends ServiceError<'validation_failed'> {}

/** Returns a 400 about one uploaded file. */
export function invalidFile(file: string, message: string): InvalidFiles {
  const issues = [{ path: file, message }];
  return new InvalidFiles('validation_failed', `${file}: ${message}`, { details: { file, issues } });
}

/** @throws InvalidFiles that names the refused files, if there are any. */
export function throwRefusals(refusals: FileRefusals): void {
  const summary = refusals.summary();
  if (!summary) return;
  const { message, file, issues } = summary;
  throw new InvalidFiles('validation_failed', message, { details: { file, issues: [...issues] } });
}

/** Returns a 503, because a dependency cannot be used or the server is about to stop. */
export function unavailable(message: string, cause?: unknown, retryAfterSeconds = 5): ServiceError {
  return new ServiceError('unavailable', message, { cause, retryAfterSeconds });
}
