import type { SiteRules } from './rules/rules.ts';

/** The location and the hash of stored bytes. `offset` and `length` are in bytes. */
export interface StoredBytes {
  /** The id of the pack that contains the bytes. */
  pack: string;
  offset: number;
  length: number;
  /** The SHA-256 of the bytes, as 64 lowercase hex digits. */
  sha256: string;
}

/** The compression of a form of a file, as `Content-Encoding` names it. Source: serving S48, S49. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The compressed forms of a file that are ready and smaller than the file. */
export type CompressedForms = Readonly<Partial<Record<Coding, StoredBytes>>>;

/** The uploaded content of a file, and its compressed forms. */
export interface SiteFile extends StoredBytes {
  /** The compressed forms; absent until one is ready. */
  compressed?: CompressedForms;
}

/** The paths of the files of one deployment. */
export interface FilePaths {
  has(path: string): boolean;
}

/** The files of one deployment, by canonical path. They never change, but their bytes may move. */
export interface Manifest extends FilePaths {
  /** The file at a path, if its place is in memory. */
  peek(path: string): SiteFile | undefined;
  /**
   * Loads the file at a path that the manifest has.
   *
   * @throws with code `ENOENT` if the file is gone, because the deployment is being deleted; the errors of the database.
   */
  load(path: string): Promise<SiteFile>;
}

/** A site that may be served, as of the time of the request. */
export interface Site {
  deployment: string;
  /** A text that changes whenever the password of the site changes; `null` for a public site. */
  passwordVersion: string | null;
  /** Whether no account owns the deployment yet. Search engines must not index such a site. */
  anonymous: boolean;
  manifest: Manifest;
  rules: SiteRules;
}

/** A site whose visitors need a password. */
export type ProtectedSite = Site & { passwordVersion: string };
