import type { Place } from '../storage/packs.ts';

/** One file of a site: which content it is, and where the bytes lie. */
export interface SiteFile extends Place {
  /** SHA-256 of the bytes, 64 lowercase hex digits. */
  sha256: string;
}

/** The files of one deployment by canonical path. It never changes while a deployment lives. */
export type Manifest = ReadonlyMap<string, SiteFile>;

/** A site that may be answered, as it stood when the request came. */
export interface Site {
  deployment: string;
  /** True when visitors need a password. */
  locked: boolean;
  /** True until an account owns it: search engines are kept away. */
  anonymous: boolean;
  manifest: Manifest;
}

/** The sites that may be answered right now. */
export interface LiveSites {
  /**
   * The site of a deployment; `null` for one that is not `success`, past its `expires`, or was never there. The clock
   * decides about `expires`, not the sweep.
   *
   * @param options.fresh Asks the database, past any cache: the places of files may have moved.
   * @throws ServiceError `unavailable` when the database is away and nothing is known of the site.
   * Source: serving S4; security §5 (C3).
   */
  find(deployment: string, options?: { fresh?: boolean }): Promise<Site | null>;
}
