import type { Site } from './site.ts';

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
