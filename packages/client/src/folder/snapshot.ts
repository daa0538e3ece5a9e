/** One file of a folder that is to be published. */
export interface FolderFile {
  /** Relative to the folder, `/`-separated, NFC: the path of the site. */
  path: string;
  /** In bytes. */
  size: number;
  /** SHA-256 of its content, 64 lowercase hex digits. */
  sha256: string;
}

/** Why something in the folder is left out. */
export type SkipReason =
  /** A file that systems leave behind, such as `.DS_Store`. */
  | 'junk'
  /** `.env*`, `.git`, keys, `node_modules`: never to be published. */
  | 'private'
  /** Named by `.berthignore`. */
  | 'ignored'
  /** A link: nothing outside of the folder is ever published. */
  | 'link'
  /** A pipe, a socket or a device. */
  | 'not-a-file';

export interface SkippedFile {
  path: string;
  reason: SkipReason;
}

/** What a folder consists of at a moment, in the order of its paths by code unit: equal folders give equal snapshots. */
export interface FolderSnapshot {
  files: readonly FolderFile[];
  /** All sizes together, in bytes. */
  totalBytes: number;
  skipped: readonly SkippedFile[];
}
