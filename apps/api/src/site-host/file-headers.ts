import type { OutgoingHttpHeaders } from 'node:http';
import { cacheControl, entityTag, type Intent, mediaTypeOf, type Site } from '@berth/core';

/** A file, as what was asked for or as the 404 page of its site. */
export type FileIntent = Extract<Intent, { kind: 'file' }>;

const PROTECTED = { 'Cache-Control': 'private, no-store', Vary: 'Cookie' };

/**
 * What every answer of a site carries, whatever it says. To be spread last: of a protected site nothing is stored, and every
 * answer depends on the cookie.
 *
 * Source: serving S52, S53, S56, S63.
 */
export function siteHeaders({ anonymous, passwordVersion }: Site): OutgoingHttpHeaders {
  const isProtected = passwordVersion !== null;
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(anonymous || isProtected ? { 'X-Robots-Tag': 'noindex' } : {}),
    ...(isProtected ? PROTECTED : {}),
  };
}

/** The same for an answer that is not kept whatever the site. Source: serving S53. */
export function uncachedHeaders(site: Site): OutgoingHttpHeaders {
  return { 'Cache-Control': 'no-store', ...siteHeaders(site) };
}

/** The headers that describe the body of a file. Source: serving S41, S52. */
export function bodyHeaders({ path, file }: FileIntent): OutgoingHttpHeaders {
  return { 'Content-Type': mediaTypeOf(path).contentType, 'Content-Length': file.length };
}

/** The headers that a file shares with the 304 it can be answered with. Source: serving S40, S44, S45, S50, S53, S55. */
export function fileHeaders(site: Site, { status, path, file }: FileIntent): OutgoingHttpHeaders {
  const policies = { 'Referrer-Policy': 'strict-origin-when-cross-origin', 'Origin-Agent-Cluster': '?1' };
  if (status === 404) return { ...policies, ...uncachedHeaders(site) };
  const always = siteHeaders(site);
  const variants = [always['Vary'], mediaTypeOf(path).compressible ? 'Accept-Encoding' : undefined];
  const vary = variants.filter((name) => name !== undefined).join(', ');
  return {
    ...policies,
    'Cache-Control': cacheControl(path, site),
    ETag: entityTag(file),
    ...always,
    ...(vary === '' ? {} : { Vary: vary }),
  };
}
