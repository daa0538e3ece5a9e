import type { RedirectStatus } from './rules/rules.ts';
import type { FilePaths, Site } from './site.ts';

/** How to respond to a request for a path of a site. Source: serving S1, steps 6 to 12. */
export type Intent =
  | FileIntent
  /** A canonical redirect with the status 307. `location` is a path on the same host, with the query as sent. Source: serving S21. */
  | ({ kind: 'canonical'; location: string } & Varying)
  /** A redirect by a rule of the site. `location` is a path or an absolute URL. Source: serving S31. */
  | ({ kind: 'redirect'; status: RedirectStatus; location: string } & Varying)
  | { kind: 'options' }
  | { kind: 'method-not-allowed' }
  /** The default not-found page of the service. */
  | ({ kind: 'not-found' } & Varying);

/** A response with a file of the site. With the status 404, the file is the not-found page of the site. */
export interface FileIntent extends Varying {
  kind: 'file';
  status: 200 | 404;
  path: string;
}

interface Varying {
  /** Whether the `Accept` header decided about a fallback. Source: serving S36, S38. */
  variesByAccept: boolean;
}

/** The methods that a site supports, as sent in `Allow`. Source: serving S42. */
export const SITE_METHODS = 'GET, HEAD, OPTIONS';

/** Everything that decides the response to a request, except the path. */
export interface RequestContext {
  readonly site: { readonly manifest: FilePaths; readonly rules: Site['rules'] };
  /** The host of the request, in lower case and without a port. */
  readonly host: string;
  /** The query as sent, including `?`; empty if there is none. */
  readonly query: string;
  /** The `Accept` header as sent. */
  readonly accept: string | undefined;
  /** Becomes true when the `Accept` header decides about a fallback. Source: serving S38. */
  variesByAccept: boolean;
}
