import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorBody, ErrorCode } from '@berth/contract';
import { type Log, ServiceError, toErrorBody, toServiceError } from '@berth/core';
import { hideSecrets } from '../logging/hide-secrets.ts';
import { jsonHeaders, sendJson } from './json-answer.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { requestId, requestIdOf } from './request-id.ts';

const LINGER_MS = 1_000;
const INTERNAL_ERROR_MESSAGE = toServiceError(undefined).message;
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { rate_limit_exceeded: 1, unavailable: 5 };

/**
 * Returns the error body that REST and tRPC send. An internal error reveals only the request id. Secrets are hidden.
 * Source: api §2; security F7, T20.
 */
export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const body = toErrorBody(error, requestId);
  if (error.code === 'internal_server_error') body.message = INTERNAL_ERROR_MESSAGE;
  return JSON.parse(hideSecrets(JSON.stringify(body)));
}

/** Returns headers about when to retry, which limit was reached, or how to authenticate. Source: api §1, §2, §7. */
export function errorHeaders(error: ServiceError): Record<string, string> {
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
    ...(error.rateLimit ? rateLimitHeaders(error.rateLimit) : {}),
    ...(error.code === 'authentication_failed' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  };
}

interface FaultFields {
  requestId: string;
  operation?: string | undefined;
}

/**
 * Logs internal errors at `error` and unavailable dependencies at `warn`, with their causes. Expected errors, and work
 * that stopped because the client left, are not logged.
 */
export function logFault(log: Log, error: ServiceError, fields: FaultFields): void {
  const err = error.cause ?? error;
  if (err instanceof Error && err.name === 'AbortError') return;
  if (error.code === 'internal_server_error') log.error({ err, ...fields }, 'A request failed.');
  else if (error.code === 'unavailable' && error.cause !== undefined)
    log.warn({ err, ...fields }, 'A dependency is unavailable.');
}

interface ErrorContext {
  /** Logs the error. Default: the error is not logged. */
  log?: Log;
  /** The procedure or route that failed, for the log. */
  operation?: string;
  /** Whether to close the connection after the response. Default: false. */
  close?: boolean;
}

/**
 * Sends an error body. If a response has already begun, closes the connection, so that the client does not mistake a
 * partial response for a complete one. Source: api §2; security F7.
 */
export function sendError(res: ServerResponse, thrown: unknown, context: ErrorContext = {}): void {
  const { log, operation, close = false } = context;
  const requestId = requestIdOf(res);
  const error = toServiceError(thrown);
  if (log) logFault(log, error, { requestId, operation });
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.setHeader('X-Request-Id', requestId);
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  if (close) res.setHeader('Connection', 'close');
  sendJson(res, error.status, JSON.stringify(errorBody(error, requestId)));
}

/** Sends a 405 with the allowed methods. GET includes HEAD; OPTIONS is always allowed. Source: api §2. */
export function sendMethodNotAllowed(res: ServerResponse, method: string, allowed: Iterable<string>): void {
  const allowHeader = allowOf(allowed);
  res.setHeader('Allow', allowHeader);
  sendError(
    res,
    new ServiceError('method_not_allowed', `This path does not support ${method}; use one of ${allowHeader}.`),
  );
}

/** Returns the value of an `Allow` header. GET includes HEAD; OPTIONS is always allowed. */
export function allowOf(allowed: Iterable<string>): string {
  const methods = new Set(allowed);
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].join(', ');
}

/**
 * Sends an error on a socket whose request could not be parsed, and closes the socket. For a moment, further bytes of
 * the client are discarded, so that the response reaches the client. Source: api §2; security T5.
 */
export function writeErrorAnswer(socket: Socket, error: ServiceError): void {
  const id = requestId();
  const text = JSON.stringify(errorBody(error, id));
  const headers = { ...jsonHeaders(text), 'X-Request-Id': id, Date: new Date().toUTCString(), Connection: 'close' };
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
