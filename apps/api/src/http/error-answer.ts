import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorBody, ErrorCode } from '@berth/contract';
import { type Log, type ServiceError, toErrorBody, toServiceError } from '@berth/core';
import { hideSecrets } from '../logging/hide-secrets.ts';
import { jsonHeaders, sendJson } from './json-answer.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { requestId, requestIdOf } from './request-id.ts';

const LINGER_MS = 1_000;
const OUR_FAULT = toServiceError(undefined).message;
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = { rate_limit_exceeded: 1, unavailable: 5 };

/**
 * The error body that REST and tRPC send. An internal error reveals only the request id, and no message contains a
 * secret.
 *
 * Source: api §2; security F7, T20.
 */
export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const body = toErrorBody(error, requestId);
  if (error.code === 'internal_server_error') body.message = OUR_FAULT;
  return JSON.parse(hideSecrets(JSON.stringify(body)));
}

/**
 * The headers of an error: when to retry, which limit was reached, or how to authenticate. Source: api §1, §2, §7.
 */
export function errorHeaders(error: ServiceError): Record<string, string> {
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfter))) }),
    ...(error.rateLimit ? rateLimitHeaders(error.rateLimit) : {}),
    ...(error.code === 'authentication_failed' ? { 'WWW-Authenticate': 'Bearer' } : {}),
  };
}

/**
 * Logs an internal error at `error` and an unavailable dependency at `warn`, each with its cause. Expected errors are
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
    log.warn({ err, ...fields }, 'A dependency is unavailable.');
}

interface ErrorContext {
  /** Default: that of the response. */
  requestId?: string;
  /** Where errors are logged. Default: nothing is logged. */
  log?: Log;
  /** The procedure or route that failed, for the log. */
  operation?: string;
  /** Close the connection after the answer. Default: false. */
  close?: boolean;
}

/**
 * Answers an error with the error body. If an answer has already begun, the connection is closed, so that the client
 * does not take a partial answer for a complete one.
 *
 * Source: api §2; security F7.
 */
export function sendError(
  res: ServerResponse,
  thrown: unknown,
  { requestId = requestIdOf(res), log, operation, close = false }: ErrorContext = {},
): void {
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

/**
 * Answers on a socket whose request could not be parsed, and closes it. Further bytes of the client are read and
 * discarded for a moment, so that the answer reaches the client.
 *
 * Source: api §2; security T5.
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
