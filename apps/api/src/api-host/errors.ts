import type { ServerResponse } from 'node:http';
import { type Log, ServiceError, toServiceError } from '@berth/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';

/** Sends a 405 with the allowed methods. GET includes HEAD; OPTIONS is always allowed. Source: api §2. */
export function sendMethodNotAllowed(res: ServerResponse, method: string, allowed: Iterable<string>): void {
  const allowHeader = allowOf(allowed);
  res.setHeader('Allow', allowHeader);
  sendError(
    res,
    new ServiceError('method_not_allowed', `This path does not support ${method}; use one of ${allowHeader}.`),
  );
}

/** Creates the last handler of a route. It responds to OPTIONS with the allowed methods, and to others with 405. */
export function allowOnly(...methods: string[]): RequestHandler {
  return (req, res) => {
    if (req.method === 'OPTIONS') res.writeHead(204, { Allow: allowOf(methods) }).end();
    else sendMethodNotAllowed(res, req.method, methods);
  };
}

/** Calls `sendPage` for a client that prefers HTML to JSON, and sends the usual error body to other clients. */
export function sendErrorOrPage(
  req: Request,
  res: Response,
  thrown: unknown,
  { log, operation }: { log: Log; operation: string },
  sendPage: (error: ServiceError, requestId: string) => void,
): void {
  if (req.accepts(['json', 'html']) !== 'html') return sendError(res, thrown, { log, operation });
  const error = toServiceError(thrown);
  const requestId = requestIdOf(res);
  logFault(log, error, { requestId, operation });
  sendPage(error, requestId);
}

function allowOf(allowed: Iterable<string>): string {
  const methods = new Set(allowed);
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].join(', ');
}

/** Creates the last error handler. The default handler of Express would send stack traces. Source: security F7. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const message = 'The path must have valid percent-encoding.';
    sendError(res, thrown instanceof URIError ? new ServiceError('validation_failed', message) : thrown, { log });
  };
}
