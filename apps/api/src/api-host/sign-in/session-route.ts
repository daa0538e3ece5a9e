import { createCaller, type Log } from '@berth/core';
import type { Request, RequestHandler, Response } from 'express';
import { sendError } from '../../http/error-answer.ts';
import { sendJson } from '../../http/json-answer.ts';
import type { CreateContext } from '../options.ts';

/** Handles `GET /session`: who is signed in, for pages without a tRPC client. Source: api §13. */
export function createSessionRoute(createContext: CreateContext, log: Log): RequestHandler {
  return async (req: Request, res: Response): Promise<void> => {
    try {
      sendJson(res, 200, JSON.stringify(await createCaller(createContext(req, res)).session.get()));
    } catch (thrown) {
      sendError(res, thrown, { log, operation: 'session.get' });
    }
  };
}
