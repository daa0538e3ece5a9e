import type { ArchiveDeploy } from '@berth/core';

/** Receives the entries of an archive, one after the other. */
export type EntrySink = ArchiveDeploy['files'] & {
  /** The maximum number of entries of an archive. */
  maxEntries: number;
  /** Returns a promise if the reader must wait before the next entry, until there are time and memory for it. */
  beforeEntry(): Promise<void> | undefined;
  /** Returns a promise if the reader must wait, so that other requests are served. */
  pause(): Promise<void> | undefined;
};
