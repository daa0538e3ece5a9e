import type { SkippedFile } from './snapshot.ts';

/** How much of something. */
export interface Amount {
  files: number;
  bytes: number;
}

/** What happens while a folder is read, in the order in which it happens. */
export type FolderEvent =
  /** The folder was listed. */
  | { type: 'walked'; total: Amount; skipped: readonly SkippedFile[] }
  /** So much is hashed; `cached` of it is known from before and was not read. Comes several times, at last with all done. */
  | { type: 'hashed'; done: Amount; total: Amount; cached: Amount };
