import { crc32, inflateRawSync } from 'node:zlib';
import { invalidFile, payloadTooLarge, ServiceError, toPrintableName, toServiceError } from '@berth/core';
import type { Entry, ZipFile } from 'yauzl';
import { inflateRaw } from './decompress.ts';
import type { EntrySink } from './entry-sink.ts';
import type { SpooledFile } from './spooled-file.ts';
import {
  damaged,
  findBytes,
  findZipDirectory,
  kindOf,
  nameOf,
  refuseOverlaps,
  requireReadable,
} from './zip-directory.ts';

/** Entries up to this size are inflated at once, which is faster than a stream. */
const SMALL_BYTES = 64 * 1024;
const STORED = 0;

/**
 * Reads a zip archive and passes its entries on, no faster than they are consumed. Reads what the central directory lists.
 *
 * @throws `validation_failed` for an archive that is damaged, incomplete or encrypted, whose entries overlap, or whose headers
 *   contradict each other; `payload_too_large` for too many entries; what `entries` throws. Source: api §11; security T41.
 */
export async function readZip(file: SpooledFile, entries: EntrySink): Promise<void> {
  try {
    const directory = await findZipDirectory(file);
    if (directory.entryCount > entries.maxEntries)
      throw payloadTooLarge(
        'maxFilesCount',
        entries.maxEntries,
        `An archive must have at most ${entries.maxEntries} entries, folders and links included.`,
      );
    await refuseOverlaps(directory, () => entries.pause());
    const zip = await directory.open();
    for await (const entry of zip.eachEntry()) {
      await entries.beforeEntry();
      await readEntry(file, zip, entry, entries);
    }
  } catch (error) {
    if (!isOfArchive(error)) throw error;
    throw damaged((error as Error).message);
  }
}

/** Whether an error is about the archive, and not about the disk or the database, which the entries use. */
function isOfArchive(error: unknown): boolean {
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  return !(error instanceof ServiceError) && !isOfSystem && toServiceError(error).code === 'internal_server_error';
}

async function readEntry(file: SpooledFile, zip: ZipFile, entry: Entry, entries: EntrySink): Promise<void> {
  const name = nameOf(entry);
  const kind = kindOf(entry, name);
  if (kind !== 'file') {
    entries.leaveOut(name, kind);
    if (kind === 'folder' && entry.uncompressedSize > 0)
      throw invalidFile(toPrintableName(name), 'a folder in an archive must have the size 0');
    return;
  }
  requireReadable(entry, name);
  const sink = entries.begin(name);
  let size = 0;
  let crc = 0;
  const refuse = (why: string) => invalidFile(toPrintableName(name), why);
  try {
    for await (const chunk of bytesOf(file, entry, await findBytes(file, zip, entry, name))) {
      size += chunk.length;
      if (size > entry.uncompressedSize) throw refuse('the file is larger than its header says');
      crc = crc32(chunk, crc);
      await sink.write(chunk);
      await entries.pause();
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw refuse('the file is larger than its header says');
    if (error instanceof ServiceError || !code.startsWith('Z_')) throw error;
    throw refuse(`the compressed bytes of the file are damaged (${message})`);
  }
  if (size !== entry.uncompressedSize) throw refuse('the file is smaller than its header says');
  if (crc !== entry.crc32) throw refuse('the bytes of the file differ from its CRC-32');
  sink.end();
}

async function* bytesOf(file: SpooledFile, entry: Entry, start: number): AsyncGenerator<Buffer> {
  const { compressedSize, uncompressedSize } = entry;
  const chunks = file.chunks(start, start + compressedSize);
  if (entry.compressionMethod === STORED) yield* chunks;
  else if (compressedSize <= SMALL_BYTES && uncompressedSize <= SMALL_BYTES)
    yield inflateSmall(await file.read(start, compressedSize), uncompressedSize);
  else yield* inflateRaw(chunks, compressedSize);
}

function inflateSmall(bytes: Buffer, size: number): Buffer {
  const options = { maxOutputLength: Math.max(1, size), info: true };
  const { buffer, engine } = inflateRawSync(bytes, options) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  if (engine.bytesWritten !== bytes.length) throw new Error('bytes follow the end of the deflate data');
  return buffer;
}
