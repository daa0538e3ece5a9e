import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { unavailable } from '@berth/core';
import { errorBody, errorHeaders, sendMethodNotAllowed } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Health } from './health.ts';

/** Responds to a request. Returns false without a response if the request is not a probe. */
export type Probes = (req: IncomingMessage, res: ServerResponse) => boolean;

const OK = '{"status":"ok"}';
const PATH = /^\/(livez|readyz)(?:$|\?)/;

/**
 * Creates the function that answers `/livez` and `/readyz` on the main port, for a `Host` that is an IP address or
 * `localhost`: load balancers and orchestrators send no other. Source: api §12.
 */
export function createProbes(health: Health): Probes {
  return (req, res) => {
    const [, probe] = PATH.exec(req.url!) ?? [];
    if (probe === undefined || !isLocalHost(req.headers.host)) return false;
    if (req.method !== 'GET' && req.method !== 'HEAD') sendMethodNotAllowed(res, req.method!, ['GET']);
    else if (probe === 'livez') sendLiveness(res);
    else void sendReadiness(res, health);
    return true;
  };
}

/** Responds with 200: a process that can respond is alive. Source: api §12. */
export function sendLiveness(res: ServerResponse): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  sendJson(res, 200, OK);
}

/**
 * Responds with 200 if the server is ready. Otherwise responds with 503 and the usual error body, which has one more field
 * for each dependency. Source: api §2, §12.
 */
export async function sendReadiness(res: ServerResponse, health: Health): Promise<void> {
  const { isReady, states } = await health.readiness();
  const id = requestIdOf(res);
  res.setHeader('X-Request-Id', id);
  if (isReady) {
    sendJson(res, 200, OK);
    return;
  }
  const error = unavailable('The service is not ready.');
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  sendJson(res, 503, JSON.stringify({ ...errorBody(error, id), ...states }));
}

function isLocalHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d{0,5}$/, '').toLowerCase();
  return name === 'localhost' || isIP(name) === 4 || (/^\[.*\]$/.test(name) && isIP(name.slice(1, -1)) === 6);
}
