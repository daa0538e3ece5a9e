import { createHash, hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayHoldPrivateKey, PRIVATE_KEY_MARKER } from '@berth/contract';
import { changing, unreadable } from './folder-errors.ts';
import { stateOf } from './file-state.ts';
import { readLargeFile, readSmallFile, SMALL_FILE_BYTES } from './read-file.ts';
import type { FoundFile } from './walk.ts';

/** How often to read a file again if it changed while it was read, and the pause before that in milliseconds. */
const READ_AGAIN = 3;
const PAUSE_MS = 50;

/** The maximum length of the first line of a private key. It may be split across two pieces. */
const MARKER_CHARACTERS = 96;

/** A file and its hash. `privateKey` is true if it contains a private key. */
export type HashedFile = FoundFile & { sha256: string; privateKey: boolean };

/** Returns true if the file must be hashed by {@link hashLargeFile}. */
export function isLarge({ stats }: FoundFile): boolean {
  return stats.size > SMALL_FILE_BYTES;
}

/**
 * Reads and hashes a small file.
 *
 * @returns `null` if it changed since it was found, or while it was read.
 * @throws ClientError of the kind `folder` if it cannot be read.
 */
export function hashSmallFile(root: string, found: FoundFile): HashedFile | null {
  try {
    const { bytes, stats } = readSmallFile(`${root}/${found.name}`, Number(found.stats.size));
    if (stateOf(stats) !== stateOf(found.stats)) return null;
    const privateKey = mayHoldPrivateKey(found.path) && PRIVATE_KEY_MARKER.test(bytes.toString('latin1'));
    return { ...found, sha256: hash('sha256', bytes), privateKey };
  } catch (thrown) {
    throw unreadable(found.path, thrown);
  }
}

/** Does the same as {@link hashSmallFile} for a file of any size, piece by piece. */
export async function hashLargeFile(root: string, found: FoundFile, signal: AbortSignal): Promise<HashedFile | null> {
  const digest = createHash('sha256');
  const suspect = mayHoldPrivateKey(found.path);
  let privateKey = false;
  let tail = '';
  try {
    const pieces = readLargeFile(`${root}/${found.name}`);
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) {
        if (stateOf(value) !== stateOf(found.stats)) return null;
        return { ...found, sha256: digest.digest('hex'), privateKey };
      }
      if (signal.aborted) await pieces.return(found.stats);
      signal.throwIfAborted();
      digest.update(value);
      if (!suspect) continue;
      const text = tail + value.toString('latin1');
      privateKey ||= PRIVATE_KEY_MARKER.test(text);
      tail = text.slice(-MARKER_CHARACTERS);
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw unreadable(found.path, thrown);
  }
}

/**
 * Hashes a file that changed while it was read, as soon as it stops changing.
 *
 * @throws ClientError of the kind `folder` if it keeps changing.
 */
export async function hashChangedFile(root: string, found: FoundFile, signal: AbortSignal): Promise<HashedFile> {
  for (let attempt = 1; attempt <= READ_AGAIN; attempt += 1) {
    await sleep(PAUSE_MS, undefined, { signal });
    const fresh = { ...found, stats: look(root, found) };
    const hashed = isLarge(fresh) ? await hashLargeFile(root, fresh, signal) : hashSmallFile(root, fresh);
    if (hashed) return hashed;
  }
  throw changing(found.path);
}

function look(root: string, { name, path }: FoundFile) {
  try {
    return lstatSync(`${root}/${name}`, { bigint: true });
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}
