import type { SiteAddress } from '@berth/core';

/** Which site is asked for what. */
export interface Visit {
  /** The host that was asked, normalised. */
  host: string;
  /** The site that the host names; `null` for a host that is none of ours. */
  address: SiteAddress | null;
  /** The path as sent, up to `?`. */
  path: string;
  /** The query as sent, from `?` on; empty when there is none. */
  query: string;
}
