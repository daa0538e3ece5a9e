import express, { type Router } from 'express';
import { cors } from './cors.ts';
import type { Health } from '../health/health.ts';
import { sendReadiness } from '../health/probes.ts';
import { allowOnly } from './errors.ts';

/** Serves `GET /healthz` without a credential: the answer is that of `/readyz`. Source: api §12. */
export function healthRouter(health: Health): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  router
    .route('/healthz')
    .all(cors)
    .get((_req, res) => sendReadiness(res, health))
    .all(allowOnly('GET'));
  return router;
}
