import { createHash } from 'node:crypto';
import { statOnDrive } from '../folder/drive.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { Scan } from './state.ts';

const FRONT_PAGE = 'index.html';

/** A scan, and the files it found; `null` if the folder does not exist. */
export interface ScannedFolder {
  scan: Scan;
  snapshot: ReadFolder | null;
}

/**
 * Scans a folder.
 *
 * @param read Reads the folder; called only if it exists.
 * @throws ClientError `folder` if it cannot be read or disappears in the meantime; `aborted` if the caller aborts.
 */
export async function scanFolder(
  folder: string,
  read: () => Promise<ReadFolder>,
  signal: AbortSignal,
): Promise<ScannedFolder> {
  const stats = await statOnDrive(folder, signal);
  if (stats?.isDirectory() !== true) return { scan: { found: 'gone', id: 'gone', frontPage: false }, snapshot: null };
  const snapshot = await read();
  return { scan: summarizeFiles(snapshot.files), snapshot };
}

/** Summarizes files by their paths and contents. @param files Ordered by path, by code unit. */
export function summarizeFiles(files: readonly Pick<FolderFile, 'path' | 'sha256'>[]): Scan {
  if (files.length === 0) return { found: 'empty', id: 'empty', frontPage: false };
  const hash = createHash('sha256');
  for (const { path, sha256 } of files) hash.update(`${sha256} ${path}\n`);
  return { found: 'files', id: hash.digest('hex'), frontPage: files.some(({ path }) => path === FRONT_PAGE) };
}
