import { type Log, ServiceError, toServiceError } from '@berth/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { allowOf, logFault, sendError, sendMethodNotAllowed } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';

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

/** Creates the last error handler. The default handler of Express would send stack traces. Source: security F7. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const message = 'The path must have valid percent-encoding.';
    sendError(res, thrown instanceof URIError ? new ServiceError('validation_failed', message) : thrown, { log });
  };
}
