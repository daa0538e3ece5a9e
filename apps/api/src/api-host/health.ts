import { unavailable } from '@berth/core';
import express, { type Router } from 'express';
import { cors } from './cors.ts';
import { sendError } from '../http/error-answer.ts';
import { only } from './errors.ts';
import { sendJson } from '../http/json-answer.ts';

/**
 * `GET /healthz`, which needs no credential: 200 while the service is ready, else 503.
 *
 * @param isReady Called for each request. An exception counts as not ready.
 */
export function healthRouter(isReady: () => Promise<boolean>): Router {
  const health = express.Router({ strict: true, caseSensitive: true });
  health
    .route('/healthz')
    .all(cors)
    .get(async (_req, res) => {
      const ready = await isReady().catch(() => false);
      if (ready) sendJson(res, 200, '{"status":"ok"}');
      else sendError(res, unavailable('The service is not ready.'));
    })
    .all(only('GET'));
  return health;
}
