import { stat } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { ClientError, errorText } from '../errors.ts';
import { readLargeFile } from '../folder/read-file.ts';

/** The part of a stream that is kept in memory, in bytes. A shorter stream can be sent several times. */
const KEPT_BYTES = 4 * 1024 ** 2;

/** The bytes that determine the format of an archive: the first block of a tar. */
const HEAD_BYTES = 512;

/** An archive to publish. */
export interface ArchiveSource {
  /** The media type. */
  type: string;
  /** The size in bytes; `null` if it is unknown. */
  size: number | null;
  /** Returns true if the whole archive can be read now, for the first time or once more. */
  isReadable(): boolean;
  /** Reads the whole archive. @throws ClientError of the kind `folder`. */
  read(): AsyncGenerator<Uint8Array>;
}

/**
 * Opens an archive, and determines its format by its first bytes.
 *
 * @param signal Closes a stream.
 * @throws ClientError of the kind `folder` if the file or the stream cannot be read, is empty, or has another format.
 */
export async function openArchive(
  archive: string | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<ArchiveSource> {
  return typeof archive === 'string' ? openFile(archive) : openStream(archive, signal);
}

async function openFile(path: string): Promise<ArchiveSource> {
  const stats = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!stats.isFile()) throw new ClientError('folder', `${path} is not a file. Pass the file of an archive`);
  const read = () => readPieces(readLargeFile(path), path);
  const { pieces } = await readUntil(read(), HEAD_BYTES);
  return { type: typeOf(pieces, path), size: stats.size, isReadable: () => true, read };
}

async function openStream(stream: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ArchiveSource> {
  const name = 'the stream';
  const readable = stream instanceof Readable ? stream : Readable.from(stream);
  // A stream that is closed before it is read emits its error here alone.
  readable.on('error', () => {});
  const rest = readPieces(addAbortSignal(signal, readable), name);
  const { pieces, bytes, hasEnded } = await readUntil(rest, KEPT_BYTES, { keepOpen: true });
  let isRestRead = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    yield* pieces;
    if (hasEnded) return;
    isRestRead = true;
    yield* rest;
  }
  return { type: typeOf(pieces, name), size: hasEnded ? bytes : null, isReadable: () => !isRestRead, read };
}

/** Reads pieces until there are at least `minBytes`. */
async function readUntil(stream: AsyncGenerator<Uint8Array>, minBytes: number, { keepOpen = false } = {}) {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let hasEnded = false;
  while (bytes < minBytes && !hasEnded) {
    const { done = false, value } = await stream.next();
    hasEnded = done;
    if (done) break;
    pieces.push(value);
    bytes += value.length;
  }
  if (!keepOpen) await stream.return(undefined);
  return { pieces, bytes, hasEnded };
}

async function* readPieces(pieces: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): ClientError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const message = isMissing ? `The archive ${name} does not exist` : `${name} cannot be read: ${errorText(error)}`;
  return new ClientError('folder', message, { cause: error });
}

/** The bytes with which an archive begins, or which it has at an offset, by media type. */
const SIGNATURES: readonly (readonly [type: string, hex: string, offset?: number])[] = [
  ['application/gzip', '1f8b'],
  ['application/zstd', '28b52ffd'],
  ['application/zip', '504b0304'],
  ['application/zip', '504b0506'],
  ['application/x-tar', Buffer.from('ustar').toString('hex'), 257],
];

function typeOf(pieces: readonly Uint8Array[], name: string): string {
  const head = Buffer.concat(pieces).subarray(0, HEAD_BYTES);
  if (head.length === 0) throw new ClientError('folder', `There are no bytes in ${name}. It must be an archive`);
  const signature = SIGNATURES.find(([, hex, offset = 0]) => head.toString('hex').startsWith(hex, 2 * offset));
  if (signature === undefined)
    throw new ClientError('folder', `${name} is not an archive. It must be a tar, tar.gz, tar.zst or zip`);
  return signature[0];
}
