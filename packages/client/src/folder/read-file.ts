import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * The maximum size of a small file, in bytes. The calling thread reads small files, because another thread would take five
 * times as long. Other threads read larger files, piece by piece.
 */
export const SMALL_FILE_BYTES = 256 * 1024;

const PIECE_BYTES = 512 * 1024;

/** A link or a pipe may have replaced the file. With these flags, `open` does not follow the link or wait for the pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** All small files are read into this buffer, because a buffer for each file would be garbage that outgrows the heap. */
let smallFile: Buffer | null = null;

/**
 * Reads a small file.
 *
 * @param sizeBytes The expected size, at most {@link SMALL_FILE_BYTES}.
 * @returns The bytes, at most one more than expected, and the stats of the file after it was read. Without a change, the bytes are
 *   complete if the stats have the expected size. The next call overwrites the bytes.
 */
export function readSmallFile(location: string, sizeBytes: number): { bytes: Buffer; stats: BigIntStats } {
  smallFile ??= Buffer.allocUnsafeSlow(SMALL_FILE_BYTES + 1);
  const fd = openSync(location, FLAGS);
  try {
    const bytes = smallFile.subarray(0, fill(fd, smallFile.subarray(0, sizeBytes + 1), sizeBytes));
    return { bytes, stats: fstatSync(fd, { bigint: true }) };
  } finally {
    closeSync(fd);
  }
}

/** Reads the beginning of a file. @returns False if the file is too short to fill `bytes`. */
export function fillFromFile(location: string, bytes: Uint8Array): boolean {
  const fd = openSync(location, FLAGS);
  try {
    return fill(fd, bytes, bytes.length) === bytes.length;
  } finally {
    closeSync(fd);
  }
}

/** Reads until at least `minBytes` are read or the file ends, in one call as a rule. @returns The number of bytes. */
function fill(fd: number, bytes: Uint8Array, minBytes: number): number {
  let filledBytes = 0;
  for (let bytesRead = -1; bytesRead !== 0 && filledBytes < minBytes; filledBytes += bytesRead)
    bytesRead = readSync(fd, bytes, filledBytes, bytes.length - filledBytes, null);
  return filledBytes;
}

/** Reads a large file, piece by piece. Returns the stats of the file after it was read; `null` if the caller stops reading. */
export async function* readLargeFile(location: string): AsyncGenerator<Buffer, BigIntStats | null, undefined> {
  const file: FileHandle = await open(location, FLAGS);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, null);
      if (bytesRead === 0) return await file.stat({ bigint: true });
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
