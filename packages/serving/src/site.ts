import type { SiteRules } from './rules/rules.ts';

/** Bytes that can be sent, with their location and hash. `offset` and `length` in bytes. */
export interface StoredBytes {
  /** The id of the pack that contains them. */
  pack: string;
  offset: number;
  length: number;
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
