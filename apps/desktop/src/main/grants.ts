import type { Given } from '../shared/publishing.ts';

/** What stands behind a grant: an absolute path, and what is there. */
export interface Granted {
  path: string;
  kind: 'folder' | 'file';
}

/**
 * The paths that the user gave: by a drop, a dialog, or as a suggestion inside of what was given. A page that is not ours can
 * name none of its own. Source: design of the desktop app, §6; security T40.
 */
export interface Grants {
  /** What cannot be read is left out. */
  give(paths: readonly string[]): Promise<Given[]>;
  /** What a grant stands for, which it does from then on no more. @throws ClientError `refused` for one that is unknown, used, or too old. */
  take(grant: string): Granted;
  /** The same, and the grant stays good. */
  look(grant: string): Granted;
}
