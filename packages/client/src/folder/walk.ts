import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isJunk, normalizePath, privatePath, refusedPath } from '@berth/contract';
import type { createTurns } from '../progress.ts';
import { folderError, unreadable } from './folder-errors.ts';
import { readIgnoreFile } from './ignore-file.ts';
import type { SkippedFile, SkipReason } from './snapshot.ts';

/** A file as it was found, before it is read. */
export interface FoundFile {
  /** The path of the site. */
  path: string;
  /** The same as the disk spells it. */
  name: string;
  stats: BigIntStats;
}

/** Where what is found goes. */
export interface Findings {
  file(found: FoundFile): void;
  skip(skipped: SkippedFile): void;
}

/**
 * Lists a folder. Follows no link. Folders that are left out are not entered, and are told with a slash at the end.
 *
 * One thread asks the system, in short turns: names and states come from memory, and sending each question to another
 * thread takes five times as long as the answer.
 *
 * @throws ClientError of the kind `folder` for what cannot be read, and for what must not be published but is no secret.
 */
export async function walk(root: string, findings: Findings, turns: ReturnType<typeof createTurns>): Promise<void> {
  const ignored = readIgnoreFile(root);
  const folders = [''];
  for (let folder: string | undefined; (folder = folders.pop()) !== undefined;) {
    for (const entry of list(root, folder)) {
      if (turns.isOver()) await turns.next();
      const name = folder + entry.name + (entry.isDirectory() ? '/' : '');
      const reason = reasonToSkip(name, entry, ignored);
      if (reason) findings.skip({ path: name, reason });
      else if (entry.isDirectory()) folders.push(name);
      else findings.file(look(root, name));
    }
  }
}

function list(root: string, folder: string): Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (thrown) {
    throw unreadable(folder || '.', thrown);
  }
}

/** What is somebody's own is left out whatever the rules of the folder say. */
function reasonToSkip(name: string, entry: Dirent, ignored: (name: string) => boolean): SkipReason | null {
  if (isJunk(name)) return 'junk';
  if (privatePath(name)) return 'private';
  if (ignored(name)) return 'ignored';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() || entry.isDirectory() ? null : 'not-a-file';
}

function look(root: string, name: string): FoundFile {
  const read = normalizePath(name);
  if (!read.ok) throw folderError(name, read.reason);
  const refused = refusedPath(read.path);
  if (refused) throw folderError(read.path, refused);
  try {
    return { path: read.path, name, stats: lstatSync(`${root}/${name}`, { bigint: true }) };
  } catch (thrown) {
    throw unreadable(name, thrown);
  }
}
