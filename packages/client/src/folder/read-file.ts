import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Files up to this size are read at once on the calling thread, which takes a fifth of the time of using another thread. Larger
 * files are read by other threads, piece by piece.
 */
export const SMALL_FILE_BYTES = 256 * 1024;

const PIECE_BYTES = 512 * 1024;

/** Does not follow a link and does not wait for a pipe, even if it has just replaced a file. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a small file.
 *
 * @param sizeBytes The expected size.
 * @returns The content, up to one byte more than expected, and the state of the file after it was read.
 */
export function readSmallFile(location: string, sizeBytes: number): { bytes: Buffer; stats: BigIntStats } {
  const fd = openSync(location, FLAGS);
  try {
    const buffer = Buffer.allocUnsafe(sizeBytes + 1);
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = readSync(fd, buffer, filled, buffer.length - filled, null);
    return { bytes: buffer.subarray(0, filled), stats: fstatSync(fd, { bigint: true }) };
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads a large file, piece by piece. The caller owns each piece.
 *
 * @returns The state of the file after it was read.
 */
export async function* readLargeFile(location: string): AsyncGenerator<Buffer, BigIntStats, undefined> {
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
