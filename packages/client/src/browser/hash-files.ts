import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../deploy/resume-state.ts';
import { folderError } from '../folder/folder-errors.ts';
import type { Amount, FolderEvent, FolderFile } from '../folder/snapshot.ts';
import { createThrottle, PROGRESS_INTERVAL_MS } from '../progress.ts';
import { type FoundFile, piecesOf } from './list-files.ts';

/** The maximum size of a file that is read as a whole, in bytes. WebCrypto cannot hash a file piece by piece. */
const MAX_WHOLE_BYTES = 4 * 1024 ** 2;

/** A file and its hash. The content of a small file may already be in memory. */
export type HashedFile = FolderFile & { content: Blob | Uint8Array<ArrayBuffer> };

/**
 * Hashes files, and emits progress. Memory does not grow with the size of a file.
 *
 * @returns The files, sorted by path.
 * @throws ClientError of the kind `folder` that names the file if it cannot be read.
 */
export async function hashFiles(
  found: readonly FoundFile[],
  emit: (event: FolderEvent) => void,
  signal: AbortSignal,
): Promise<HashedFile[]> {
  const total = amountOf(found);
  const cached: Amount = { files: 0, bytes: 0 };
  const done: Amount = { files: 0, bytes: 0 };
  const isProgressDue = createThrottle(PROGRESS_INTERVAL_MS);
  const emitProgress = (): void => emit({ type: 'hashed', done: { ...done }, total, cached });
  const files: HashedFile[] = [];
  for (const { path, blob } of found) {
    const hash = await hashFile(path, blob, signal, (bytes) => {
      done.bytes += bytes;
      if (isProgressDue()) emitProgress();
    });
    files.push({ path, size: blob.size, sha256: hash, content: blob });
    done.files += 1;
  }
  emitProgress();
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the number of files, and their total size. */
export function amountOf(files: readonly FoundFile[]): Amount {
  return { files: files.length, bytes: files.reduce((sum, { blob }) => sum + blob.size, 0) };
}

async function hashFile(
  path: string,
  blob: Blob,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  // Pages without TLS have no `crypto.subtle`.
  const { subtle } = crypto as { subtle?: typeof crypto.subtle };
  try {
    if (subtle && blob.size <= MAX_WHOLE_BYTES) {
      signal.throwIfAborted();
      const bytes = new Uint8Array(await blob.arrayBuffer());
      onBytes(bytes.length);
      return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
    }
    const digest = sha256.create();
    for await (const piece of piecesOf(blob)) {
      signal.throwIfAborted();
      digest.update(piece);
      onBytes(piece.length);
    }
    return toHex(digest.digest());
  } catch (thrown) {
    signal.throwIfAborted();
    throw folderError(path, 'the file cannot be read; it may have changed since it was chosen', thrown);
  }
}
