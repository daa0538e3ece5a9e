import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileRefusals } from '@berth/contract';
import { createTimeSlices } from '../time-slices.ts';
import { readOrRefuse, throwRefusals } from './folder-errors.ts';
import { fileStateOf, isSettled } from './file-state.ts';
import { IGNORE_FILE, ignoreRulesOf, type IgnoreRules, publishedPath, reasonToSkipName } from './site-paths.ts';
import type { SkippedFile, SkipReason } from './snapshot.ts';

/** A file of the listing, which has not been read. */
export interface FoundFile {
  /** The path on the site. */
  path: string;
  /** The path on disk, whose Unicode form may differ. */
  name: string;
  /** The size in bytes. */
  size: number;
  /** See {@link fileStateOf}. */
  state: string;
  /** See {@link isSettled}. */
  isSettled: boolean;
}

/**
 * Lists the files of a folder. Does not follow links or read skipped subfolders, whose paths end with a slash in the result.
 *
 * Runs on this thread, because sending each system call to another thread takes five times as long as the call itself.
 *
 * @param ignorePatterns More patterns to skip, in the syntax of `.gitignore`.
 * @param startedMs The current time, in Unix milliseconds.
 * @throws ClientError of the kind `folder` if something cannot be read, or that names all files with invalid names.
 */
export async function listFiles(
  root: string,
  ignorePatterns: readonly string[],
  startedMs: number,
  signal: AbortSignal,
): Promise<{ found: FoundFile[]; skipped: SkippedFile[] }> {
  const slices = createTimeSlices(signal);
  const foundFiles: FoundFile[] = [];
  const skippedFiles: SkippedFile[] = [];
  const refusals = new FileRefusals();
  const ignoreRules = readIgnoreRules(root, ignorePatterns);
  const folders = [''];
  for (let folder: string | undefined; (folder = folders.pop()) !== undefined;) {
    const entries = readOrRefuse(folder || '.', () => readdirSync(join(root, folder), { withFileTypes: true }));
    for (const entry of entries) {
      if (slices.isOver()) await slices.next();
      const name = folder + entry.name + (entry.isDirectory() ? '/' : '');
      const reason = reasonToSkip(name, entry, ignoreRules);
      if (reason) skippedFiles.push({ path: name, reason });
      else if (entry.isDirectory()) folders.push(name);
      else {
        const path = publishedPath(name, refusals);
        if (path !== null) foundFiles.push(findFile(root, name, path, startedMs));
      }
    }
  }
  throwRefusals(refusals);
  return { found: foundFiles, skipped: skippedFiles };
}

/**
 * Reads the state of a file, but not its bytes.
 *
 * @param name The path on disk, relative to `root`.
 * @param path The path on the site.
 * @param startedMs When the folder was listed, in Unix milliseconds.
 */
export function findFile(root: string, name: string, path: string, startedMs: number): FoundFile {
  const stats = readOrRefuse(name, () => lstatSync(`${root}/${name}`, { bigint: true }));
  return {
    path,
    name,
    size: Number(stats.size),
    state: fileStateOf(stats),
    isSettled: isSettled(stats, startedMs),
  };
}

function reasonToSkip(name: string, entry: Dirent, ignored: IgnoreRules): SkipReason | null {
  const reason = reasonToSkipName(name, ignored);
  if (reason) return reason;
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() || entry.isDirectory() ? null : 'not-a-file';
}

/** Combines the {@link IGNORE_FILE} with other patterns. */
function readIgnoreRules(root: string, patterns: readonly string[]): IgnoreRules {
  const path = join(root, IGNORE_FILE);
  const hasFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return ignoreRulesOf(hasFile ? readOrRefuse(IGNORE_FILE, () => readFileSync(path, 'utf8')) : null, patterns);
}
