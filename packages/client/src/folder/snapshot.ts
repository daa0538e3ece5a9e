/** One file to publish. */
export interface FolderFile {
  /** The path on the site: relative to the folder, `/`-separated, NFC. */
  path: string;
  /** In bytes. */
  size: number;
  /** SHA-256 of its content, 64 lowercase hex digits. */
  sha256: string;
}

/** The reason for skipping something in the folder. */
export type SkipReason =
  /** A file that the system creates, such as `.DS_Store`. */
  | 'junk'
  /** `.env*`, `.git`, keys, `node_modules`: must never be published. */
  | 'private'
  /** Listed in `.berthignore`. */
  | 'ignored'
  /** A link. Nothing outside of the folder is ever published. */
  | 'link'
  /** A pipe, a socket or a device. */
  | 'not-a-file';

export interface SkippedFile {
  path: string;
  reason: SkipReason;
}

/** The files of a folder at one moment, sorted by path in code unit order. Equal folders give equal snapshots. */
export interface FolderSnapshot {
  files: readonly FolderFile[];
  /** The sum of all sizes, in bytes. */
  totalBytes: number;
  skipped: readonly SkippedFile[];
}
