import { hash } from 'node:crypto';

/** A file to publish. */
export interface FolderFile {
  /** The path on the site: relative to the folder, `/`-separated, NFC. */
  path: string;
  /** The size in bytes. */
  size: number;
  /** The SHA-256 of the content: 64 lowercase hex digits. */
  sha256: string;
}

/** The reason why a file or subfolder is not published. */
export type SkipReason =
  /** A file that the system creates, such as `.DS_Store`. */
  | 'junk'
  /** A file that must never be published, such as `.env`, a key, or anything in `.git` or `node_modules`. */
  | 'private'
  /** A file that `.berthignore` lists. */
  | 'ignored'
  /** A link: it may point outside of the folder. */
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

/** A number of files, and their total size. */
export interface Amount {
  files: number;
  bytes: number;
}

/** The events of reading a folder, in order. */
export type FolderEvent =
  /** The folder was listed. */
  | { type: 'walked'; total: Amount; skipped: readonly SkippedFile[] }
  /**
   * Progress in hashing, emitted several times; in the last event, `done` equals `total`. `cached` counts the files that were
   * not read because their hash was known.
   */
  | { type: 'hashed'; done: Amount; total: Amount; cached: Amount };

/** Hashes the paths and contents of files, in their order. Returns 64 hex digits. */
export function hashOfFiles(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): string {
  return hash('sha256', files.map(({ path, sha256 }) => `${sha256} ${path}`).join('\n'));
}
