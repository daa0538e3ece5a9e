import type { ServerResponse } from 'node:http';
import type { ErrorBody, ErrorCode } from '@berth/contract';
import { type Log, ServiceError, toErrorBody, toServiceError } from '@berth/core';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { hideSecrets } from '../secrets.ts';
import { sendJson } from './json-answer.ts';

const OUR_FAULT = toServiceError(undefined).message;
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { rate_limit_exceeded: 1, unavailable: 5 };

/** The id of the request that a response answers, as the server set it; empty when it set none. */
export function requestIdOf(res: ServerResponse): string {
  return String(res.getHeader('X-Request-Id') ?? '');
}

/**
 * The wire form of an error, as both faces send it: a fault of ours says nothing but the request id, and no message
 * holds a secret.
 *
 * Source: contract §2; security F7, T20.
 */
export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const body = toErrorBody(error, requestId);
  if (error.code === 'internal_server_error') body.message = OUR_FAULT;
  return JSON.parse(hideSecrets(JSON.stringify(body)));
}

/** The headers that belong to an error: when to try again, or how to authenticate. Source: contract §1, §2. */
export function errorHeaders(error: ServiceError): Record<string, string> {
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
    ...(error.code === 'authentication_failed' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  };
}

/**
 * Logs a fault of ours at `error` and a dependency that is away at `warn`, each with its cause. Refusals are expected and
 * not logged, nor is work that stopped because the client left.
 */
export function logFault(
  log: Log,
  error: ServiceError,
  fields: { requestId: string; operation?: string | undefined },
): void {
  const err = error.cause ?? error;
  if (err instanceof Error && err.name === 'AbortError') return;
  if (error.code === 'internal_server_error') log.error({ err, ...fields }, 'A request failed.');
  else if (error.code === 'unavailable' && error.cause !== undefined)
    log.warn({ err, ...fields }, 'A dependency is away.');
}

interface ErrorContext {
  /** Default: what `X-Request-Id` of the response holds. */
  requestId?: string;
  /** Where faults are logged; nothing is logged without it. */
  log?: Log;
  /** The procedure or route that failed, for the log. */
  operation?: string;
}

/**
 * Answers whatever was thrown with the one error body. When an answer has already begun, its connection is cut instead:
 * the client must not take half an answer for a whole one.
 *
 * Source: contract §2; security F7.
 */
export function sendError(
  res: ServerResponse,
  thrown: unknown,
  { requestId = requestIdOf(res), log, operation }: ErrorContext = {},
): void {
  const error = toServiceError(thrown);
  if (log) logFault(log, error, { requestId, operation });
  if (res.headersSent) {
    res.destroy();
    return;
  }
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  sendJson(res, error.status, JSON.stringify(errorBody(error, requestId)));
}

/** Answers 405 and names what is allowed. HEAD goes with GET, and OPTIONS is always there. Source: contract §2. */
export function sendMethodNotAllowed(res: ServerResponse, method: string, allowed: Iterable<string>): void {
  const methods = new Set(allowed);
  if (methods.has('GET')) methods.add('HEAD');
  const allow = [...methods.add('OPTIONS')].join(', ');
  res.setHeader('Allow', allow);
  sendError(res, new ServiceError('method_not_allowed', `${method} is not possible here; use one of ${allow}.`));
}

/** The last handler of a route that only knows these methods. */
export function only(...methods: string[]): RequestHandler {
  return (req, res) => sendMethodNotAllowed(res, req.method, methods);
}

/** The error handler that stands last: express's own would print stacks. Source: security F7. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const unreadable = thrown instanceof URIError;
    sendError(
      res,
      unreadable ? new ServiceError('validation_failed', 'The path holds a broken percent-encoding.') : thrown,
      { log },
    );
  };
}
