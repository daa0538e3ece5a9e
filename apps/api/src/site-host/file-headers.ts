import type { OutgoingHttpHeaders } from 'node:http';
import { cacheControl, entityTag, type Intent, mediaTypeOf, type Site } from '@berth/core';

/** A file, as what was asked for or as the 404 page of its site. */
export type FileIntent = Extract<Intent, { kind: 'file' }>;

/** What every answer of a site carries, whatever it says. Source: serving S52, S56. */
export function siteHeaders(site: Site): OutgoingHttpHeaders {
  return {
    'X-Content-Type-Options': 'nosniff',
    ...(site.anonymous || site.locked ? { 'X-Robots-Tag': 'noindex' } : {}),
  };
}

/** The headers that describe the body of a file. Source: serving S41, S52. */
export function bodyHeaders({ path, file }: FileIntent): OutgoingHttpHeaders {
  return { 'Content-Type': mediaTypeOf(path).contentType, 'Content-Length': file.length };
}

/** The headers that a file shares with the 304 it can be answered with. Source: serving S40, S44, S45, S50, S53, S55. */
export function fileHeaders(site: Site, { status, path, file }: FileIntent): OutgoingHttpHeaders {
  const policies = {
    ...siteHeaders(site),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Origin-Agent-Cluster': '?1',
  };
  if (status === 404) return { ...policies, 'Cache-Control': 'no-store' };
  const variants = mediaTypeOf(path).compressible ? { Vary: 'Accept-Encoding' } : {};
  return { ...policies, 'Cache-Control': cacheControl(path), ETag: entityTag(file), ...variants };
}
