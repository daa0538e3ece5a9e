import type { SiteFile } from './site.ts';

/**
 * What a request for a path of a site is answered with. A value: deciding touches no clock, disk or database.
 *
 * Source: serving S1, steps 6 to 12.
 */
export type Intent =
  /** A file of the site; with 404 it is the nearest `404.html`. */
  | { kind: 'file'; status: 200 | 404; path: string; file: SiteFile }
  /** A canonical redirect, 307. `location` is a path on the same host, with the query as sent. */
  | { kind: 'redirect'; location: string }
  /** The answer to OPTIONS, 204. */
  | { kind: 'options' }
  /** 405. */
  | { kind: 'method-not-allowed' }
  /** 404 with the service's own page. */
  | { kind: 'not-found' };

/** The methods a site knows, as `Allow` lists them. Source: serving S42. */
export const SITE_METHODS = 'GET, HEAD, OPTIONS';
