import { ClientError } from '@berth/client/browser';
import { amountOf, type FoundFile, type HashedFile, piecesOf, toHex } from '@berth/client/browser/upload';
import type { Amount } from '@berth/ui/publishing';
import type { IHasher } from 'hash-wasm';
import { scriptMissing } from './script-missing.ts';

/** How many files are read at the same time. */
const PARALLEL_FILES = 8;
/** The maximum size of a file that Web Crypto hashes as a whole, in bytes. */
const MAX_WHOLE_BYTES = 16 * 1024 ** 2;
/** The maximum size of the contents that are kept in memory, so that small files are read only once, in bytes. */
const MAX_KEPT_BYTES = 64 * 1024 ** 2;
const PROGRESS_MS = 100;

/** The hashes of files that were read before, by {@link identityOf}. */
export type KnownHashes = Map<string, string>;

/** Identifies a file without its content: its path, its size and when it was changed. */
function identityOf({ path, blob }: FoundFile): string {
  return JSON.stringify([path, blob.size, blob instanceof File ? blob.lastModified : 0]);
}

/**
 * Hashes files, several at the same time. Memory does not grow with the size of a file.
 *
 * @param known Files with a known hash are not read. Each new hash is added.
 * @param onProgress Called with what is done, and how much of it was known.
 * @returns The files, sorted by path.
 * @throws ClientError of the kind `folder` that names the file if it cannot be read; the reason of an aborted signal.
 */
export async function hashFiles(
  found: readonly FoundFile[],
  known: KnownHashes,
  signal: AbortSignal,
  onProgress: (done: Amount, cached: Amount) => void,
): Promise<HashedFile[]> {
  const done: Amount = { files: 0, bytes: 0 };
  const cached: Amount = { files: 0, bytes: 0 };
  const files: HashedFile[] = [];
  const queue = found.values();
  let keptBytes = 0;
  let reportedAt = 0;
  const report = () => {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    onProgress({ ...done }, { ...cached });
  };
  const count = (bytes: number) => {
    done.bytes += bytes;
    report();
  };
  async function work(): Promise<void> {
    for (const file of queue) {
      signal.throwIfAborted();
      const { path, blob } = file;
      const identity = identityOf(file);
      let sha256 = known.get(identity);
      let content: Blob = blob;
      if (sha256 === undefined) {
        const read = await readFile(file, keptBytes + blob.size <= MAX_KEPT_BYTES, signal, count);
        if (read.content) keptBytes += blob.size;
        content = read.content ?? blob;
        sha256 = read.sha256;
        known.set(identity, sha256);
      } else {
        cached.files += 1;
        cached.bytes += blob.size;
        count(blob.size);
      }
      files.push({ path, size: blob.size, sha256, blob: content });
      done.files += 1;
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_FILES }, work));
  onProgress(amountOf(found), cached);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function readFile(
  { path, blob }: FoundFile,
  isKept: boolean,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<{ sha256: string; content: Blob | null }> {
  // Pages without TLS have no `crypto.subtle`.
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  const isWhole = subtle !== undefined && blob.size <= MAX_WHOLE_BYTES;
  const hasher = isWhole ? null : await createHasher();
  try {
    if (hasher) return { sha256: await hashPieces(hasher, blob, signal, onBytes), content: null };
    const bytes = await blob.arrayBuffer();
    const sha256 = toHex(new Uint8Array(await subtle!.digest('SHA-256', bytes)));
    onBytes(bytes.byteLength);
    return { sha256, content: isKept ? new Blob([bytes]) : null };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = 'the file cannot be read; it may have changed since it was chosen';
    throw new ClientError('folder', `${path}: ${reason}.`, { file: path, cause });
  }
}

async function createHasher(): Promise<IHasher> {
  const { createSHA256 } = await import('hash-wasm').catch(scriptMissing);
  return createSHA256();
}

async function hashPieces(
  hasher: IHasher,
  blob: Blob,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<string> {
  hasher.init();
  for await (const piece of piecesOf(blob)) {
    signal.throwIfAborted();
    hasher.update(piece);
    onBytes(piece.length);
  }
  return hasher.digest('hex');
}
