import type { Site } from '@berth/serving';

/** What a host name refers to: a deployment by id, or a domain by its normalised name without a port. */
export type SiteAddress = { deployment: string } | { domain: string };

/** Why an existing site is not served: its account or its domain is paused, or the operator took it down. */
export type WithheldReason = 'paused' | 'taken-down';

/** The result of a lookup: a site, the reason why it is not served, or nothing. */
export type SiteLookup = Site | WithheldReason | null;

/** The sites that may be served right now. */
export interface LiveSites {
  /**
   * The result of {@link find} if it is in the cache, else `undefined`. Returns the same object for the same site as long as it is
   * cached.
   */
  peek(address: SiteAddress): SiteLookup | undefined;
  /**
   * Finds the site at an address. The response uses this site even if the domain is linked to another deployment a moment later.
   * `expires` is compared with the clock, so expiry does not depend on the sweep.
   *
   * `null` for a deployment that does not exist, is not `success`, or is past its `expires`; for a domain that is not verified or
   * not linked; for everything that belongs to a terminated account.
   *
   * @throws ServiceError `unavailable` if the database is unavailable and the site is not cached.
   * Source: serving S2, S4; api §4, §6; storage C3.
   */
  find(address: SiteAddress): Promise<SiteLookup>;
  /** Like {@link find}, but bypasses all caches: the bytes of files may have moved to another pack. */
  findFresh(address: SiteAddress): Promise<SiteLookup>;
}
