import type { RedirectStatus } from './rules/rules.ts';
import type { SiteFile } from './site.ts';

/**
 * What a request for a path of a site is answered with. A value: deciding touches no clock, disk or database.
 *
 * Source: serving S1, steps 6 to 12.
 */
export type Intent =
  | FileIntent
  /** A canonical redirect, 307. `location` is a path on the same host, with the query as sent. Source: serving S21. */
  | ({ kind: 'canonical'; location: string } & Varying)
  /** A redirect that the site declares. `location` is a path or an absolute URL. Source: serving S31. */
  | ({ kind: 'redirect'; status: RedirectStatus; location: string } & Varying)
  /** The answer to OPTIONS, 204. */
  | { kind: 'options' }
  /** 405. */
  | { kind: 'method-not-allowed' }
  /** 404 with the service's own page. */
  | ({ kind: 'not-found' } & Varying);

/** A file of the site; with 404 it is the site's own page for what is not found. */
export interface FileIntent extends Varying {
  kind: 'file';
  status: 200 | 404;
  path: string;
  file: SiteFile;
}

/** An answer that may hang on what the request says in `Accept`. */
export interface Varying {
  /** True when that decided, whether for a fallback or against one. Source: serving S36, S38. */
  variesByAccept: boolean;
}

/** The methods a site knows, as `Allow` lists them. Source: serving S42. */
export const SITE_METHODS = 'GET, HEAD, OPTIONS';
