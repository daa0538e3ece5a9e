import { ERROR_STATUS, type ErrorBody, type ErrorCode, MAX_LISTED_BYTES, MAX_LISTED_ISSUES } from '@berth/contract';
import { TRPCError } from '@trpc/server';
import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';
import { z } from 'zod';
import { toUnavailable } from '../database/outages.ts';
import { invalid, ServiceError } from '../errors.ts';

const TRPC_CODE: Record<ErrorCode, TRPC_ERROR_CODE_KEY> = {
  validation_failed: 'BAD_REQUEST',
  authentication_failed: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_SUPPORTED',
  request_timeout: 'TIMEOUT',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  uri_too_long: 'BAD_REQUEST',
  business_logic_error: 'UNPROCESSABLE_CONTENT',
  rate_limit_exceeded: 'TOO_MANY_REQUESTS',
  headers_too_large: 'BAD_REQUEST',
  internal_server_error: 'INTERNAL_SERVER_ERROR',
  unavailable: 'SERVICE_UNAVAILABLE',
};

const FROM_TRPC: Partial<Record<TRPC_ERROR_CODE_KEY, [ErrorCode, string]>> = {
  NOT_FOUND: ['not_found', 'There is no such procedure.'],
  METHOD_NOT_SUPPORTED: ['method_not_allowed', 'Queries are read with GET, mutations are sent with POST.'],
  PAYLOAD_TOO_LARGE: ['payload_too_large', 'The body must not be larger than this call allows.'],
  PARSE_ERROR: ['validation_failed', 'The body must be valid JSON.'],
  BAD_REQUEST: ['validation_failed', 'The request must be a valid procedure call.'],
  UNSUPPORTED_MEDIA_TYPE: ['validation_failed', 'The body must be application/json.'],
  CLIENT_CLOSED_REQUEST: ['request_timeout', 'The client closed the request.'],
};

/**
 * Converts any thrown value to a `ServiceError`. An unexpected exception becomes `internal_server_error` with a constant
 * message, so that no detail of the exception reaches a client. Source: api §2; security F7.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof TRPCError) {
    if (thrown.cause instanceof ServiceError) return thrown.cause;
    if (thrown.cause instanceof z.ZodError && thrown.code === 'BAD_REQUEST') return fromZodIssues(thrown.cause.issues);
    const codeAndMessage = thrown.code === 'INTERNAL_SERVER_ERROR' ? undefined : FROM_TRPC[thrown.code];
    if (codeAndMessage) return new ServiceError(codeAndMessage[0], codeAndMessage[1], { cause: thrown });
    return toServiceError(thrown.cause ?? new Error(thrown.message));
  }
  return (
    toUnavailable(thrown) ??
    new ServiceError('internal_server_error', 'Something went wrong on our side.', { cause: thrown })
  );
}

/** Converts the issues of a schema to a `validation_failed` error. */
export function fromZodIssues(issues: readonly z.core.$ZodIssue[]): ServiceError {
  const list = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const firstIssue = list[0] ?? { path: '', message: 'the input is not valid' };
  const error = invalid(firstIssue.path || 'input', firstIssue.message);
  return new ServiceError('validation_failed', error.message, { details: { issues: list } });
}

/** Converts an error to its wire form, limited in size. Source: api §2. */
export function toErrorBody(error: ServiceError, requestId: string): ErrorBody {
  const boundedError = limitErrorSize(error);
  const details =
    error.code === 'internal_server_error'
      ? { requestId }
      : error.code === 'rate_limit_exceeded'
        ? { retryAfter: error.retryAfterSeconds ?? 1 }
        : boundedError.details;
  return {
    error: error.code,
    message: boundedError.message,
    status: ERROR_STATUS[error.code],
    ...(details ? { details: { ...details } } : {}),
  };
}

/** Converts an error for tRPC, so that REST and tRPC respond with the same status. */
export function toTrpcError(error: ServiceError): TRPCError {
  return new TRPCError({ code: TRPC_CODE[error.code], message: error.message, cause: error });
}

/** The maximum length of a text in an error, in UTF-16 units. A path is never longer. */
const MAX_TEXT_LENGTH = 2_048;

interface ErrorText {
  message: string;
  details?: object | undefined;
}

/**
 * Limits the message and the details of an error to about 16 KiB. Cuts long texts, and long lists to their first entries;
 * the message then says how many entries are not listed. `details` has at most two levels. Source: api §2.
 */
function limitErrorSize({ message, details }: ErrorText): ErrorText {
  if (!details) return { message: cutText(message) };
  let omitted = 0;
  const boundedDetails = Object.entries(details).map(([name, value]: [string, unknown]) => {
    if (!Array.isArray(value)) return [name, cutTexts(value)];
    const boundedEntries = firstEntries(value);
    omitted += value.length - boundedEntries.length;
    return [name, boundedEntries];
  });
  const note = omitted > 0 ? ` (and ${omitted.toLocaleString('en-US')} more that are not listed)` : '';
  return { message: `${cutText(message)}${note}`, details: Object.fromEntries(boundedDetails) };
}

function firstEntries(list: readonly unknown[]): unknown[] {
  const entries: unknown[] = [];
  let size = 0;
  for (const value of list.slice(0, MAX_LISTED_ISSUES)) {
    const entry = cutTexts(value);
    size += Buffer.byteLength(JSON.stringify(entry));
    if (size > MAX_LISTED_BYTES) break;
    entries.push(entry);
  }
  return entries;
}

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, typeof text === 'string' ? cutText(text) : text]),
  );
}

function cutText(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
}
