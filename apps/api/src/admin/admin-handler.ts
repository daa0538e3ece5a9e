import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { notFound, ServiceError } from '@berth/core';
import { counters } from '@berth/core/metrics';
import type { Health } from '../health/health.ts';
import { sendLiveness, sendReadiness } from '../health/probes.ts';
import { sendError, sendMethodNotAllowed } from '../http/error-answer.ts';
import { sendJson } from '../http/json-answer.ts';
import type { Handler } from '../http/server.ts';
import { requestIdOf } from '../http/request-id.ts';

import { readDomain } from './certificate-names.ts';

/** Metrics in a text format. */
export interface RenderedMetrics {
  /** The value of the `Content-Type` header. */
  contentType: string;
  body: string;
}

/** What the admin listener answers with. */
export interface AdminParts {
  health: Health;
  /** Whether a proxy may request a certificate for a host name in lower case. */
  mayHaveCertificate(name: string): Promise<boolean>;
  /** Renders the metrics of all processes of this server. Without it there is no `/metrics`. */
  renderMetrics?: (() => Promise<RenderedMetrics>) | undefined;
}

const tlsAsks = counters(
  { name: 'berth_tls_asks_total', help: 'Questions of the proxy whether a name may have a certificate, by outcome.' },
  'outcome',
  ['allowed', 'refused', 'failed'],
);

interface Route {
  /** Whether the route needs the token, if there is one. */
  isProtected: boolean;
  answer(res: ServerResponse, query: URLSearchParams): void | Promise<void>;
}

/**
 * Creates the handler of the admin listener. It answers for any `Host`.
 *
 * @param token The bearer token of the protected routes; `null` if none is needed. Source: api §12; security T42.
 */
export function createAdminHandler(parts: AdminParts, token: string | null): Handler {
  const routes = routesOf(parts);
  const isAllowed = createTokenCheck(token);
  const paths = [...routes.keys()].join(', ');
  return (req, res) => {
    const url = URL.parse(req.url!, 'http://admin');
    const route = routes.get(url?.pathname ?? '');
    if (!route) throw new ServiceError('not_found', `There is no such path; use one of ${paths}.`);
    if (req.method === 'OPTIONS') {
      res.writeHead(204, { Allow: 'GET, HEAD, OPTIONS', 'X-Request-Id': requestIdOf(res) }).end();
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return sendMethodNotAllowed(res, req.method!, ['GET']);
    if (route.isProtected && !isAllowed(req))
      return sendError(
        res,
        new ServiceError('authentication_failed', 'This path needs ADMIN_TOKEN as a bearer token.'),
      );
    return route.answer(res, url!.searchParams);
  };
}

function routesOf({ health, mayHaveCertificate, renderMetrics }: AdminParts): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>([
    ['/livez', { isProtected: false, answer: sendLiveness }],
    ['/readyz', { isProtected: false, answer: (res) => sendReadiness(res, health) }],
    ['/tls-allowed', { isProtected: false, answer: (res, query) => sendTlsAllowed(res, query, mayHaveCertificate) }],
  ]);
  if (renderMetrics)
    routes.set('/metrics', { isProtected: true, answer: async (res) => sendMetrics(res, await renderMetrics()) });
  return routes;
}

async function sendTlsAllowed(
  res: ServerResponse,
  query: URLSearchParams,
  mayHaveCertificate: AdminParts['mayHaveCertificate'],
): Promise<void> {
  const name = readDomain(query);
  const isAllowed = await mayHaveCertificate(name).catch((error: unknown) => {
    tlsAsks.failed.value += 1;
    throw error;
  });
  tlsAsks[isAllowed ? 'allowed' : 'refused'].value += 1;
  if (!isAllowed) throw notFound('site for a certificate');
  res.setHeader('X-Request-Id', requestIdOf(res));
  sendJson(res, 200, JSON.stringify({ domain: name }));
}

function sendMetrics(res: ServerResponse, { contentType, body }: RenderedMetrics): void {
  res
    .writeHead(200, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestIdOf(res),
    })
    .end(body);
}

/** Creates the check for the token. Hashes have equal lengths, as a comparison in constant time needs. */
function createTokenCheck(token: string | null): (req: IncomingMessage) => boolean {
  if (token === null) return () => true;
  const expected = digest(token);
  return ({ headers }) => {
    const [, sent] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    return sent !== undefined && timingSafeEqual(digest(sent), expected);
  };
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
