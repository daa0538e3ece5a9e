import { ClientError } from '@berth/client/browser';
import {
  amountOf,
  type FoundFile,
  type HashedFile,
  mapParallel,
  piecesOf,
  readTogether,
  toHex,
} from '@berth/client/browser/upload';
import type { Amount } from '@berth/ui/publishing';
import type { IHasher } from 'hash-wasm';
import { scriptMissing } from './script-missing.ts';

/** How many reads are made at the same time. */
const PARALLEL_READS = 4;
/** The maximum size of a file that is read together with others, in bytes. */
const MAX_SMALL_BYTES = 256 * 1024;
/** The maximum number and size of files that are read together. */
const MAX_TOGETHER = { files: 200, bytes: 2 * 1024 ** 2 };
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

/** A file whose hash is not known yet. */
interface UnknownFile extends FoundFile {
  identity: string;
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
  const files: HashedFile[] = [];
  const unknown: UnknownFile[] = [];
  let keptBytes = 0;
  let reportedAt = 0;
  for (const { path, blob } of found) {
    const identity = identityOf({ path, blob });
    const sha256 = known.get(identity);
    if (sha256 === undefined) unknown.push({ path, blob, identity });
    else {
      files.push({ path, size: blob.size, sha256, content: blob });
      done.files += 1;
      done.bytes += blob.size;
    }
  }
  const cached = { ...done };
  const count = (bytes: number) => {
    done.bytes += bytes;
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    onProgress({ ...done }, cached);
  };

  function record(
    { path, blob, identity }: UnknownFile,
    sha256: string,
    content: Blob | Uint8Array<ArrayBuffer>,
  ): void {
    known.set(identity, sha256);
    files.push({ path, size: blob.size, sha256, content });
    done.files += 1;
  }

  async function hashFile(file: UnknownFile, read: Uint8Array<ArrayBuffer> | null): Promise<void> {
    const bytes = read ?? (await readWhole(file, signal));
    if (bytes === null) return record(file, await hashPieces(file, signal, count), file.blob);
    const isKept = keptBytes + bytes.length <= MAX_KEPT_BYTES;
    if (isKept) keptBytes += bytes.length;
    record(file, await hashBytes(bytes), isKept ? bytes : file.blob);
    count(bytes.length);
  }

  await mapParallel(groupSmall(unknown), PARALLEL_READS, async (group) => {
    signal.throwIfAborted();
    // If one file cannot be read, reading each alone finds out which.
    const contents = group.length > 1 ? await readTogether(group.map(({ blob }) => blob)).catch(() => null) : null;
    await Promise.all(group.map((file, index) => hashFile(file, contents?.[index] ?? null)));
  });
  onProgress(amountOf(found), cached);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Groups small files that are read together. Each larger file is alone. */
function groupSmall(files: readonly UnknownFile[]): UnknownFile[][] {
  const groups: UnknownFile[][] = [];
  let small: UnknownFile[] = [];
  let smallBytes = 0;
  for (const file of files) {
    const { size } = file.blob;
    if (size > MAX_SMALL_BYTES) groups.push([file]);
    else {
      if (small.length === 0 || small.length === MAX_TOGETHER.files || smallBytes + size > MAX_TOGETHER.bytes) {
        small = [];
        smallBytes = 0;
        groups.push(small);
      }
      small.push(file);
      smallBytes += size;
    }
  }
  return groups;
}

/** Reads a file; `null` if it is too large. */
async function readWhole(file: FoundFile, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | null> {
  // Without Web Crypto, a file is hashed piece by piece anyway.
  if (file.blob.size > (subtleCrypto() ? MAX_WHOLE_BYTES : MAX_SMALL_BYTES)) return null;
  return orRefuse(file, signal, async () => new Uint8Array(await file.blob.arrayBuffer()));
}

async function hashBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = subtleCrypto();
  if (subtle) return toHex(new Uint8Array(await subtle.digest('SHA-256', bytes)));
  const hasher = await createHasher();
  return hasher.update(bytes).digest('hex');
}

/** Pages without TLS have no `crypto.subtle`. */
function subtleCrypto(): SubtleCrypto | undefined {
  return (crypto as { subtle?: SubtleCrypto }).subtle;
}

/** Hashes a file of any size. Reads it piece by piece. */
async function hashPieces(file: FoundFile, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<string> {
  const hasher = await createHasher();
  return orRefuse(file, signal, async () => {
    for await (const piece of piecesOf(file.blob)) {
      signal.throwIfAborted();
      hasher.update(piece);
      onBytes(piece.length);
    }
    return hasher.digest('hex');
  });
}

/** @throws ClientError of the kind `folder` that names the file if `read` fails; the reason of an aborted signal. */
async function orRefuse<T>({ path }: FoundFile, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    signal.throwIfAborted();
    const reason = 'the file cannot be read; it may have changed since it was chosen';
    throw new ClientError('folder', `${path}: ${reason}.`, { file: path, cause });
  }
}

async function createHasher(): Promise<IHasher> {
  const { createSHA256 } = await import('hash-wasm').catch(scriptMissing);
  return (await createSHA256()).init();
}
