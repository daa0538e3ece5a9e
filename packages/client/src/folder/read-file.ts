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

/**
 * Reads a small file.
 *
 * @param sizeBytes The expected size.
 * @returns The bytes, at most one more than expected, and the stats of the file after it was read.
 */
export function readSmallFile(location: string, sizeBytes: number): { bytes: Buffer; stats: BigIntStats } {
  const fd = openSync(location, FLAGS);
  try {
    const buffer = Buffer.allocUnsafe(sizeBytes + 1);
    let filledBytes = 0;
    for (let bytesRead = -1; bytesRead !== 0 && filledBytes < buffer.length; filledBytes += bytesRead)
      bytesRead = readSync(fd, buffer, filledBytes, buffer.length - filledBytes, null);
    return { bytes: buffer.subarray(0, filledBytes), stats: fstatSync(fd, { bigint: true }) };
  } finally {
    closeSync(fd);
  }
}

/** Reads a large file, piece by piece. Returns the stats of the file after it was read. */
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
