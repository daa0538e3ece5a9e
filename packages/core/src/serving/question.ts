import type { Site } from './site.ts';

/** What is asked of a site, apart from the path. */
export interface Question {
  readonly site: Pick<Site, 'manifest' | 'rules'>;
  /** The query as sent, from `?` on; empty when there is none. */
  readonly query: string;
  /** The `Accept` header as sent. */
  readonly accept: string | undefined;
  /** Becomes true once `Accept` decided something on the way to the answer. Source: serving S38. */
  variesByAccept: boolean;
}
