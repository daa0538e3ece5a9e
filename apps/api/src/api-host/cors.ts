import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

const EXPOSED_HEADERS =
  'X-Request-Id, Idempotency-Replay, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Location';
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Berth-Password, Content-Type, Idempotency-Key, Last-Event-ID, trpc-accept',
  'Access-Control-Max-Age': '7200',
};

/**
 * Lets pages of any origin read a response. A page can only use a credential that the page itself knows: the cookie of the
 * console counts only for pages of the console, and browsers refuse a response to a request with cookies. Source: security T14.
 */
export function allowAnyOrigin(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*');
  res.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Lets pages of any origin use the routes that follow, and responds to OPTIONS with 204. Source: security T14. */
export const cors: RequestHandler = (req, res, next) => {
  allowAnyOrigin(res);
  if (req.method === 'OPTIONS') sendPreflight(res);
  else next();
};

/** Responds to OPTIONS. */
export function sendPreflight(res: ServerResponse): void {
  res.writeHead(204, PREFLIGHT_HEADERS).end();
}
