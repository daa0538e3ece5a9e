import type { ServerResponse } from 'node:http';
import { type Log, ServiceError, toServiceError } from '@berth/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';

/** Answers 405 and names what is allowed. HEAD goes with GET, and OPTIONS is always there. Source: contract §2. */
export function sendMethodNotAllowed(res: ServerResponse, method: string, allowed: Iterable<string>): void {
  const allow = allowOf(allowed);
  res.setHeader('Allow', allow);
  sendError(res, new ServiceError('method_not_allowed', `${method} is not possible here; use one of ${allow}.`));
}

/** The last handler of a route that only knows these methods: OPTIONS is told which, any other method is 405. */
export function only(...methods: string[]): RequestHandler {
  return (req, res) => {
    if (req.method === 'OPTIONS') res.writeHead(204, { Allow: allowOf(methods) }).end();
    else sendMethodNotAllowed(res, req.method, methods);
  };
}

/**
 * Answers whatever was thrown with a page, to whoever asks for HTML; anybody else gets the error body, as everywhere.
 *
 * @param sendPage Answers with the page.
 */
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
