import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Site } from '@berth/serving';
import { requestIdOf } from '../http/request-id.ts';

/** The index of the request id in a shared head: alternating names and values, `X-Request-Id` first. */
export const REQUEST_ID_AT = 1;

const PUBLIC: OutgoingHttpHeaders = { 'X-Content-Type-Options': 'nosniff' };
const NO_INDEX: OutgoingHttpHeaders = { ...PUBLIC, 'X-Robots-Tag': 'noindex' };
const PROTECTED: OutgoingHttpHeaders = { ...NO_INDEX, 'Cache-Control': 'private, no-store', Vary: 'Cookie' };

/**
 * The headers of every answer of a site. They must be spread last: answers of a protected site are never stored, and
 * each of them depends on the cookie.
 *
 * @returns One of a few objects, the same for all sites of a kind.
 * Source: serving S52, S53, S56, S63.
 */
export function siteHeaders({ anonymous, passwordVersion }: Site): OutgoingHttpHeaders {
  if (passwordVersion !== null) return PROTECTED;
  return anonymous ? NO_INDEX : PUBLIC;
}

/** The same for an answer that is not stored, whatever the site. Source: serving S53. */
export function uncachedHeaders(site: Site): OutgoingHttpHeaders {
  return { 'Cache-Control': 'no-store', ...siteHeaders(site) };
}

/** Adds `Vary: Accept` if `Accept` decided the answer. Source: serving S38. */
export function withVaryAccept(
  headers: OutgoingHttpHeaders,
  { variesByAccept }: { variesByAccept: boolean },
): OutgoingHttpHeaders {
  if (!variesByAccept) return headers;
  return { ...headers, Vary: headers['Vary'] === undefined ? 'Accept' : `${headers['Vary']}, Accept` };
}

/** Answers without a body. */
export function sendEmpty(res: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  const length = status === 204 ? {} : { 'Content-Length': 0 };
  res.writeHead(status, { 'X-Request-Id': requestIdOf(res), ...headers, ...length }).end();
}
