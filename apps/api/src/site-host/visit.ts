import type { SiteAddress } from '@berth/core/sites';

/** A request for a path of a site. */
export interface Visit {
  /** The host of the request, normalised. */
  host: string;
  /** The site that the host names; `null` for a host that is not served here. */
  address: SiteAddress | null;
  /** The path as sent, up to `?`. */
  path: string;
  /** The query as sent, from `?` on; empty if it is absent. */
  query: string;
}
