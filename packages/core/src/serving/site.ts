import type { Place } from '../storage/packs.ts';

/** One file of a site: which content it is, and where the bytes lie. */
export interface SiteFile extends Place {
  /** SHA-256 of the bytes, 64 lowercase hex digits. */
  sha256: string;
}

/** The files of one deployment by canonical path. It never changes while a deployment lives. */
export type Manifest = ReadonlyMap<string, SiteFile>;

/** What a host names: a deployment by its id, or a domain by its name, normalised and without a port. */
export type SiteAddress = { deployment: string } | { domain: string };

/** A site that may be answered, as it stood when the request came. */
export interface Site {
  deployment: string;
  /** Which password visitors need: another one for another password. `null` for a public site. */
  passwordVersion: string | null;
  /** True until an account owns it: search engines are kept away. */
  anonymous: boolean;
  /** True when it was found by a domain, whose next visitor may be shown another deployment. */
  onDomain: boolean;
  manifest: Manifest;
}

/** A site whose visitors need a password. */
export type ProtectedSite = Site & { passwordVersion: string };

/** Why a site that is there is not shown: its account or its domain is paused, or the operator took it down. */
export type Withheld = 'paused' | 'taken-down';

/** The sites that may be answered right now. */
export interface LiveSites {
  /**
   * The site at an address, chosen once: what a domain is linked to a moment later does not matter to this answer. The
   * clock decides about `expires`, not the sweep.
   *
   * `null` for a deployment that is not `success`, past its `expires`, or was never there; for a domain that is not proved
   * or not linked; for whatever belongs to a terminated account.
   *
   * @param options.fresh Asks the database, past any cache: the places of files may have moved.
   * @throws ServiceError `unavailable` when the database is away and nothing is known of the site.
   * Source: serving S2, S4; contract §4, §6; security §5 (C3).
   */
  find(address: SiteAddress, options?: { fresh?: boolean }): Promise<Site | Withheld | null>;
}
