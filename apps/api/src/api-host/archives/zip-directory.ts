import { isUtf8 } from 'node:buffer';
import { callbackify } from 'node:util';
import { invalid, invalidFile, type LeftOutKind, type ServiceError, toPrintableName } from '@berth/core';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import type { SpooledFile } from './spooled-file.ts';

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCAL_HEADER_BYTES = 30;
const IN_ZIP64 = 0xffffffff;
const UTF8_FLAG = 0x0800;
const DESCRIPTOR_FLAG = 0x0008;
const DESCRIPTOR = 0x08074b50;
/** The maximum size of a data descriptor: signature, CRC-32, and two sizes of ZIP64. */
const DESCRIPTOR_BYTES = 24;
/** The systems whose programs write names in UTF-8, often without the flag that says so: Unix and macOS. */
const UTF8_SYSTEMS: ReadonlySet<number> = new Set([3, 19]);

/** Reads the central directory of a zip archive. */
export interface ZipDirectory {
  entryCount: number;
  /** Opens the directory for one pass over its entries. */
  open(): Promise<ZipFile>;
  /** The size of the directory in bytes; `null` if only the ZIP64 record has it. */
  sizeBytes: number | null;
}

/**
 * Finds the central directory of a zip archive. Ignores up to 64 KiB after the end of the archive.
 *
 * @throws `validation_failed` if the file has no central directory. Source: api §11; security T41.
 */
export async function findZipDirectory(file: SpooledFile): Promise<ZipDirectory> {
  const start = Math.max(0, file.size - END_RECORD_BYTES - MAX_COMMENT_BYTES);
  const tail = await file.read(start, END_RECORD_BYTES + MAX_COMMENT_BYTES);
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_RECORD) continue;
    const end = start + at + END_RECORD_BYTES + tail.readUInt16LE(at + 20);
    if (end > file.size) continue;
    const size = tail.readUInt32LE(at + 12);
    const open = () => openZip(file, end);
    const { entryCount } = await open();
    return { entryCount, open, sizeBytes: size === IN_ZIP64 ? null : size };
  }
  throw damaged('it is incomplete: its central directory is missing');
}

async function openZip(file: SpooledFile, end: number): Promise<ZipFile> {
  const options = { autoClose: false, decodeStrings: false, lazyEntries: true };
  return fromRandomAccessReaderPromise(new SpooledReader(file), end, options);
}

const readInto = callbackify(
  async (file: SpooledFile, target: Buffer, offset: number, length: number, position: number) =>
    (await file.read(position, length)).copy(target, offset),
);

/** Lets the parser read a spooled file. */
class SpooledReader extends RandomAccessReader {
  readonly #file: SpooledFile;

  constructor(file: SpooledFile) {
    super();
    this.#file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    readInto(this.#file, target, offset, length, position, callback);
  }
}

/**
 * Throws `validation_failed` if two entries share bytes, as in archives that are small and unpack to very much, or if the
 * directory has another size than its end record says.
 *
 * @param pause Called from time to time, so that other requests are served.
 */
export async function refuseOverlaps(directory: ZipDirectory, pause: () => Promise<void> | undefined): Promise<void> {
  const ranges: [start: number, end: number][] = [];
  let directoryBytes = 0;
  for await (const entry of (await directory.open()).eachEntry()) {
    const start = entry.relativeOffsetOfLocalHeader;
    ranges.push([start, start + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize]);
    directoryBytes += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    await pause();
  }
  if (directory.sizeBytes !== null && directory.sizeBytes !== directoryBytes)
    throw damaged('its central directory has another size or number of entries than its end record says');
  ranges.sort(([a], [b]) => a - b);
  for (let i = 1; i < ranges.length; i += 1)
    if (ranges[i]![0] < ranges[i - 1]![1]) throw damaged('two entries overlap');
}

/** Returns the name of an entry. */
export function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields, versionMadeBy }: Entry): string {
  const isUtf8Name = UTF8_SYSTEMS.has(versionMadeBy >> 8) && isUtf8(fileNameRaw);
  return getFileNameLowLevel(generalPurposeBitFlag | (isUtf8Name ? UTF8_FLAG : 0), fileNameRaw, extraFields, true);
}

/** Returns the kind of an entry, which the file mode says if the archive was created on Unix. */
export function kindOf({ externalFileAttributes, versionMadeBy }: Entry, name: string): 'file' | LeftOutKind {
  const mode = UTF8_SYSTEMS.has(versionMadeBy >> 8) ? (externalFileAttributes >>> 28) & 0o17 : 0;
  if (mode === 0o12) return 'symbolic link';
  if (mode !== 0 && mode !== 0o10 && mode !== 0o4) return 'special file';
  return name.endsWith('/') || mode === 0o4 ? 'folder' : 'file';
}

/** Throws `validation_failed` unless the bytes of an entry can be read. */
export function requireReadable(entry: Entry, name: string): void {
  const { compressionMethod: method } = entry;
  if (entry.isEncrypted())
    throw invalidFile(toPrintableName(name), 'the file is encrypted; create the archive without a password');
  if (!entry.canDecodeFileData())
    throw invalidFile(
      toPrintableName(name),
      `the file is compressed with method ${method}; only stored and deflated files can be read`,
    );
}

/**
 * Returns where the bytes of an entry begin.
 *
 * @throws `validation_failed` if the header before the bytes contradicts the central directory.
 */
export async function findBytes(file: SpooledFile, zip: ZipFile, entry: Entry, name: string): Promise<number> {
  const local = await zip.readLocalFileHeaderPromise(entry, { minimal: false });
  const hasDescriptor = (local.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0;
  const differs = (value: number, expected: number) => !hasDescriptor && value !== IN_ZIP64 && value !== expected;
  if (
    !local.fileName.equals(entry.fileNameRaw) ||
    local.compressionMethod !== entry.compressionMethod ||
    differs(local.compressedSize, entry.compressedSize) ||
    differs(local.uncompressedSize, entry.uncompressedSize) ||
    (!hasDescriptor && local.crc32 !== entry.crc32)
  )
    throw invalidFile(toPrintableName(name), 'the header of the file contradicts the central directory');
  if (hasDescriptor && !(await isDescribed(file, entry, local.fileDataStart + entry.compressedSize)))
    throw invalidFile(toPrintableName(name), 'the data descriptor of the file contradicts the central directory');
  return local.fileDataStart;
}

/** Whether the data descriptor at a position has the CRC-32 and the sizes of an entry. The signature is optional. */
async function isDescribed(file: SpooledFile, entry: Entry, position: number): Promise<boolean> {
  const bytes = await file.read(position, DESCRIPTOR_BYTES);
  const isAt = (at: number) => {
    if (bytes.length < at + 12 || bytes.readUInt32LE(at) !== entry.crc32) return false;
    const isShort =
      bytes.readUInt32LE(at + 4) === entry.compressedSize && bytes.readUInt32LE(at + 8) === entry.uncompressedSize;
    const isLong =
      bytes.length >= at + 20 &&
      bytes.readBigUInt64LE(at + 4) === BigInt(entry.compressedSize) &&
      bytes.readBigUInt64LE(at + 12) === BigInt(entry.uncompressedSize);
    return isShort || isLong;
  };
  return isAt(0) || (bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR && isAt(4));
}

export function damaged(why: string): ServiceError {
  return invalid('archive', `the zip archive cannot be read: ${why}`);
}
