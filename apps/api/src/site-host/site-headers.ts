import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Site } from '@berth/serving';
import { requestIdOf } from '../http/request-id.ts';

const PUBLIC_HEADERS: OutgoingHttpHeaders = { 'X-Content-Type-Options': 'nosniff' };
const NO_INDEX: OutgoingHttpHeaders = { ...PUBLIC_HEADERS, 'X-Robots-Tag': 'noindex' };
const PROTECTED_HEADERS: OutgoingHttpHeaders = { ...NO_INDEX, 'Cache-Control': 'private, no-store', Vary: 'Cookie' };

/**
 * Returns the headers of every response of a site. Spread them last, because they forbid storing responses of a
 * protected site. Sites of the same kind share one object. Source: serving S52, S53, S56, S63.
 */
export function siteHeaders({ anonymous, passwordVersion }: Site): OutgoingHttpHeaders {
  if (passwordVersion !== null) return PROTECTED_HEADERS;
  return anonymous ? NO_INDEX : PUBLIC_HEADERS;
}

/** Returns the headers of a response that is never stored. Source: serving S53. */
export function uncachedHeaders(site: Site): OutgoingHttpHeaders {
  return { 'Cache-Control': 'no-store', ...siteHeaders(site) };
}

/** Adds `Vary: Accept` if the response depends on `Accept`. Source: serving S38. */
export function withVaryAccept(
  headers: OutgoingHttpHeaders,
  { variesByAccept }: { variesByAccept: boolean },
): OutgoingHttpHeaders {
  if (!variesByAccept) return headers;
  return { ...headers, Vary: headers['Vary'] === undefined ? 'Accept' : `${headers['Vary']}, Accept` };
}

export function sendEmpty(res: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  const length = status === 204 ? {} : { 'Content-Length': 0 };
  res.writeHead(status, { 'X-Request-Id': requestIdOf(res), ...headers, ...length }).end();
}
