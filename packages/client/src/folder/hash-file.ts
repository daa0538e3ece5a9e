import { createHash, hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayHoldPrivateKey, PRIVATE_KEY_MARKER } from '@berth/contract';
import { changingFileError, unreadableError } from './folder-errors.ts';
import { fileStateOf } from './file-state.ts';
import { readLargeFile, readSmallFile, SMALL_FILE_BYTES } from './read-file.ts';
import type { FoundFile } from './list-files.ts';

/** How many times to read a file again if it changed while it was read, and the pause before that in milliseconds. */
const MAX_READ_RETRIES = 3;
const RETRY_PAUSE_MS = 50;

/** The maximum length of the first line of a private key. It may be split across two pieces. */
const MAX_MARKER_CHARACTERS = 96;

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
    if (fileStateOf(stats) !== fileStateOf(found.stats)) return null;
    const privateKey = mayHoldPrivateKey(found.path) && PRIVATE_KEY_MARKER.test(bytes.toString('latin1'));
    return { ...found, sha256: hash('sha256', bytes), privateKey };
  } catch (thrown) {
    throw unreadableError(found.path, thrown);
  }
}

/** Does the same as {@link hashSmallFile} for a file of any size, piece by piece. */
export async function hashLargeFile(root: string, found: FoundFile, signal: AbortSignal): Promise<HashedFile | null> {
  const digest = createHash('sha256');
  const mayHoldKey = mayHoldPrivateKey(found.path);
  let privateKey = false;
  let tail = '';
  try {
    const pieces = readLargeFile(`${root}/${found.name}`);
    for (;;) {
      const { done, value } = await pieces.next();
      if (done) {
        if (fileStateOf(value) !== fileStateOf(found.stats)) return null;
        return { ...found, sha256: digest.digest('hex'), privateKey };
      }
      if (signal.aborted) await pieces.return(found.stats);
      signal.throwIfAborted();
      digest.update(value);
      if (!mayHoldKey) continue;
      const text = tail + value.toString('latin1');
      privateKey ||= PRIVATE_KEY_MARKER.test(text);
      tail = text.slice(-MAX_MARKER_CHARACTERS);
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw unreadableError(found.path, thrown);
  }
}

/**
 * Hashes a file that changed while it was read, as soon as it stops changing.
 *
 * @throws ClientError of the kind `folder` if it keeps changing.
 */
export async function hashChangedFile(root: string, found: FoundFile, signal: AbortSignal): Promise<HashedFile> {
  for (let attempt = 1; attempt <= MAX_READ_RETRIES; attempt += 1) {
    await sleep(RETRY_PAUSE_MS, undefined, { signal });
    const fresh = { ...found, stats: statFile(root, found) };
    const hashed = isLarge(fresh) ? await hashLargeFile(root, fresh, signal) : hashSmallFile(root, fresh);
    if (hashed) return hashed;
  }
  throw changingFileError(found.path);
}

function statFile(root: string, { name, path }: FoundFile) {
  try {
    return lstatSync(`${root}/${name}`, { bigint: true });
  } catch (thrown) {
    throw unreadableError(path, thrown);
  }
}
