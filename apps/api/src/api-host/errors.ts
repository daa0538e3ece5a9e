import type { ServerResponse } from 'node:http';
import { type Log, ServiceError, toServiceError } from '@berth/core';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { logFault, sendError } from '../http/error-answer.ts';
import { requestIdOf } from '../http/request-id.ts';

/**
 * Answers 405 and lists the allowed methods. HEAD is allowed where GET is; OPTIONS is always allowed. Source: api §2.
 */
export function sendMethodNotAllowed(res: ServerResponse, method: string, allowed: Iterable<string>): void {
  const allow = allowOf(allowed);
  res.setHeader('Allow', allow);
  sendError(res, new ServiceError('method_not_allowed', `This path does not support ${method}; use one of ${allow}.`));
}

/**
 * The last handler of a route that allows only these methods: answers OPTIONS with the list, and any other method with
 * 405.
 */
export function only(...methods: string[]): RequestHandler {
  return (req, res) => {
    if (req.method === 'OPTIONS') res.writeHead(204, { Allow: allowOf(methods) }).end();
    else sendMethodNotAllowed(res, req.method, methods);
  };
}

/**
 * Answers an error with a page if the client asks for HTML, and else with the usual error body.
 *
 * @param sendPage Sends the page.
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

/** The last error handler. The default one of Express would send stack traces. Source: security F7. */
export function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const unreadable = thrown instanceof URIError;
    sendError(
      res,
      unreadable ? new ServiceError('validation_failed', 'The path must have valid percent-encoding.') : thrown,
      { log },
    );
  };
}
