import type { Place } from '../storage/packs.ts';
import type { SiteRules } from './rules/rules.ts';

/** Bytes that can be sent: where they lie, and what they are. */
export interface StoredBytes extends Place {
  /** SHA-256 of these very bytes, 64 lowercase hex digits. */
  sha256: string;
}

/** How the bytes of a file can be compressed on their way, as `Content-Encoding` names it. Source: serving S48, S49. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The compressed forms of a file that are ready and worth it. */
export type CompressedForms = Readonly<Partial<Record<Coding, StoredBytes>>>;

/** One file of a site: its content as it was uploaded, and in compressed forms. */
export interface SiteFile extends StoredBytes {
  /** Absent until some are ready. */
  compressed?: CompressedForms;
}

/** The files of one deployment by canonical path. It never changes while a deployment lives. */
export interface Manifest extends Iterable<[path: string, file: SiteFile]> {
  /** How many there are. */
  readonly size: number;
  get(path: string): SiteFile | undefined;
}

/** What a host names: a deployment by its id, or a domain by its name, normalised and without a port. */
export type SiteAddress = { deployment: string } | { domain: string };

/** A site that may be answered, as it stood when the request came. */
export interface Site {
  deployment: string;
  /** Which password visitors need: another one for another password. `null` for a public site. */
  passwordVersion: string | null;
  /** True until an account owns it: search engines are kept away. */
  anonymous: boolean;
  manifest: Manifest;
  /** What its rule files say. */
  rules: SiteRules;
}

/** A site whose visitors need a password. */
export type ProtectedSite = Site & { passwordVersion: string };

/** Why a site that is there is not shown: its account or its domain is paused, or the operator took it down. */
export type Withheld = 'paused' | 'taken-down';

/** What is at an address: a site, one that is not shown, or nothing. */
export type Found = Site | Withheld | null;

/** The sites that may be answered right now. */
export interface LiveSites {
  /**
   * What {@link find} would give, if it is known without asking anybody; else `undefined`. The same site is the same object for
   * as long as it is kept.
   */
  peek(address: SiteAddress): Found | undefined;
  /**
   * The site at an address, chosen once: what a domain is linked to a moment later does not matter to this answer. The
   * clock decides about `expires`, not the sweep.
   *
   * `null` for a deployment that is not `success`, past its `expires`, or was never there; for a domain that is not proved
   * or not linked; for whatever belongs to a terminated account.
   *
   * @throws ServiceError `unavailable` when the database is away and nothing is known of the site.
   * Source: serving S2, S4; contract §4, §6; security §5 (C3).
   */
  find(address: SiteAddress): Promise<Found>;
  /** The same from the database, past any cache: the places of files may have moved. */
  refind(address: SiteAddress): Promise<Found>;
}
