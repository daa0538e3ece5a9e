import { createHash } from 'node:crypto';
import { askDrive } from '../folder/drive.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Look } from './state.ts';

const FRONT_PAGE = 'index.html';

/** What lies at a path, and all of its files when there are any. */
export interface Looked {
  look: Look;
  snapshot: ReadFolder | null;
}

/**
 * Looks at a folder.
 *
 * @param read Reads a folder that is there.
 * @throws ClientError `folder` when it cannot be read, or went away meanwhile; `aborted` when the caller gave up.
 */
export async function lookAt(folder: string, read: () => Promise<ReadFolder>, signal: AbortSignal): Promise<Looked> {
  const there = await askDrive(folder, signal);
  if (there?.isDirectory() !== true) return { look: { found: 'gone', id: 'gone', frontPage: false }, snapshot: null };
  const snapshot = await read();
  return { look: describe(snapshot.files), snapshot };
}

/** Names files by their paths and contents. @param files In the order of their paths by code unit. */
export function describe(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): Look {
  if (files.length === 0) return { found: 'empty', id: 'empty', frontPage: false };
  const hash = createHash('sha256');
  for (const { path, sha256 } of files) hash.update(`${sha256} ${path}\n`);
  return { found: 'files', id: hash.digest('hex'), frontPage: files.some(({ path }) => path === FRONT_PAGE) };
}
