import type { ContentLocation } from '../storage/packs.ts';
import type { SiteRules } from './rules/rules.ts';

/** Bytes that can be sent, with their location and hash. */
export interface StoredBytes extends ContentLocation {
  /** SHA-256 of exactly these bytes, 64 lowercase hex digits. */
  sha256: string;
}

/** A compression of a file, named as in `Content-Encoding`. Source: serving S48, S49. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The compressed forms of a file that are ready and worth sending. */
export type CompressedForms = Readonly<Partial<Record<Coding, StoredBytes>>>;

/** One file of a site: its uploaded content and its compressed forms. */
export interface SiteFile extends StoredBytes {
  /** Absent until some form is ready. */
  compressed?: CompressedForms;
}

/** The files of one deployment by canonical path. Immutable. */
export interface Manifest extends Iterable<[path: string, file: SiteFile]> {
  /** How many there are. */
  readonly size: number;
  get(path: string): SiteFile | undefined;
}

/** What a host name refers to: a deployment by id, or a domain by its normalised name without a port. */
export type SiteAddress = { deployment: string } | { domain: string };

/** A site that may be served, as of the time of the request. */
export interface Site {
  deployment: string;
  /** Identifies the password of the site; it changes with the password. `null` for a public site. */
  passwordVersion: string | null;
  /** Whether no account owns it yet. Search engines must not index it then. */
  anonymous: boolean;
  manifest: Manifest;
  /** The rules from its rule files. */
  rules: SiteRules;
}

/** A site whose visitors need a password. */
export type ProtectedSite = Site & { passwordVersion: string };

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
   * Source: serving S2, S4; contract §4, §6; security §5 (C3).
   */
  find(address: SiteAddress): Promise<SiteLookup>;
  /** Like {@link find}, but bypasses all caches: the bytes of files may have moved to another pack. */
  findFresh(address: SiteAddress): Promise<SiteLookup>;
}
