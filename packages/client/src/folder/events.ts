import type { SkippedFile } from './snapshot.ts';

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
   * Progress in hashing. `cached` counts files whose hash was known, so that they were not read. Comes several times; the last
   * time, `done` equals `total`.
   */
  | { type: 'hashed'; done: Amount; total: Amount; cached: Amount };
