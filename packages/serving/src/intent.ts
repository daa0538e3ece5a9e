import type { RedirectStatus } from './rules/rules.ts';
import type { Site, SiteFile } from './site.ts';

/**
 * How to respond to a request for a path of a site. A plain value: computing it uses no clock, disk or database.
 *
 * Source: serving S1, steps 6 to 12.
 */
export type Intent =
  | FileIntent
  /** A canonical redirect, 307. `location` is a path on the same host, with the query as sent. Source: serving S21. */
  | ({ kind: 'canonical'; location: string } & Varying)
  /** A redirect that a rule of the site declares. `location` is a path or an absolute URL. Source: serving S31. */
  | ({ kind: 'redirect'; status: RedirectStatus; location: string } & Varying)
  /** The response to OPTIONS, 204. */
  | { kind: 'options' }
  /** 405. */
  | { kind: 'method-not-allowed' }
  /** 404 with the default page of the service. */
  | ({ kind: 'not-found' } & Varying);

/** A file of the site. With status 404 it is the site's own not-found page. */
export interface FileIntent extends Varying {
  kind: 'file';
  status: 200 | 404;
  path: string;
  file: SiteFile;
}

interface Varying {
  /** Whether `Accept` was used to decide for or against a fallback. Source: serving S36, S38. */
  variesByAccept: boolean;
}

/** The methods that a site supports, as sent in `Allow`. Source: serving S42. */
export const SITE_METHODS = 'GET, HEAD, OPTIONS';

/** Everything about a request that decides the response, except the path. */
export interface RequestContext {
  readonly site: Pick<Site, 'manifest' | 'rules'>;
  /** The query as sent, including `?`; empty if there is none. */
  readonly query: string;
  /** The `Accept` header as sent. */
  readonly accept: string | undefined;
  /** Set to true when the `Accept` header is used for a decision. Source: serving S38. */
  variesByAccept: boolean;
}
