import { unavailable } from '@berth/core';
import express, { type Router } from 'express';
import { cors } from './cors.ts';
import { sendError } from '../http/error-answer.ts';
import { allowOnly } from './errors.ts';
import { sendJson } from '../http/json-answer.ts';

/** Serves `GET /healthz` without a credential. Responds with 503 while `isReady` returns false or throws. */
export function healthRouter(isReady: () => Promise<boolean>): Router {
  const health = express.Router({ strict: true, caseSensitive: true });
  health
    .route('/healthz')
    .all(cors)
    .get(async (_req, res) => {
      const databaseReady = await isReady().catch(() => false);
      if (databaseReady) sendJson(res, 200, '{"status":"ok"}');
      else sendError(res, unavailable('The service is not ready.'));
    })
    .all(allowOnly('GET'));
  return health;
}
