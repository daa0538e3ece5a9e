// Which files of a folder are published, by their names. Also runs in a browser.
import {
  type FileRefusals,
  findPathConflict,
  isJunk,
  mayHoldPrivateKey,
  normalizePath,
  PRIVATE_KEY_MARKER,
  privatePath,
} from '@berth/contract';
import ignore from 'ignore';
import { folderError } from './folder-errors.ts';
import type { SkipReason } from './snapshot.ts';

/** The file at the root of a folder that lists what to skip, in the syntax of `.gitignore`. The file itself is skipped too. */
export const IGNORE_FILE = '.berthignore';

/** The maximum length of the marker of a private key, which two pieces of a file may share. */
const MAX_MARKER_CHARACTERS = 96;

/** Returns true for the names to skip. The name of a folder ends with a slash. */
export type IgnoreRules = (name: string) => boolean;

/**
 * Combines an {@link IGNORE_FILE} with other patterns.
 *
 * @param text The text of the file; `null` if the folder has no such file.
 */
export function ignoreRulesOf(text: string | null, patterns: readonly string[] = []): IgnoreRules {
  if (text === null && patterns.length === 0) return () => false;
  const rules = ignore().add(patterns);
  if (text !== null) rules.add(text).add(`/${IGNORE_FILE}`);
  return (name) => rules.ignores(name);
}

/**
 * Returns the reason to skip a file or subfolder by its name. The rules in `.berthignore` cannot include a private file.
 *
 * @param name The path in the folder. The name of a subfolder ends with a slash.
 */
export function reasonToSkipName(name: string, ignored: IgnoreRules): SkipReason | null {
  if (isJunk(name)) return 'junk';
  if (privatePath(name)) return 'private';
  return ignored(name) ? 'ignored' : null;
}

/**
 * Returns the path on the site of a file. If the name is invalid for a site, or the file is private, adds the file to `refusals` and
 * returns `null`. Only the server knows which file types it refuses.
 */
export function publishedPath(name: string, refusals: FileRefusals): string | null {
  const normalized = normalizePath(name);
  const path = normalized.ok ? normalized.path : name;
  const reason = normalized.ok ? (isJunk(path) ? null : privatePath(path)) : normalized.reason;
  if (reason === null) return path;
  refusals.add(path, reason);
  return null;
}

/** @throws ClientError of the kind `folder` if two files cannot have these paths on one site. */
export function refuseConflictingPaths(paths: readonly string[]): void {
  const conflict = findPathConflict(paths);
  if (!conflict) return;
  const { first, second, reason } = conflict;
  throw folderError(second, first === second ? 'two files have this name, in different Unicode forms' : reason);
}

/** Creates a function that receives the text of a file piece by piece, and returns true once it contains a private key. */
export function createPrivateKeyFinder(path: string): (piece: () => string) => boolean {
  if (!mayHoldPrivateKey(path)) return () => false;
  let isFound = false;
  let tail = '';
  return (piece) => {
    const text = tail + piece();
    isFound ||= PRIVATE_KEY_MARKER.test(text);
    tail = text.slice(-MAX_MARKER_CHARACTERS);
    return isFound;
  };
}
