import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib';
import { invalid } from '@berth/core';
import type { ArchiveType } from './archive-type.ts';

const CHUNK_BYTES = 64 * 1024;
/** RFC 9659 limits the window of `Content-Encoding: zstd` to this size: log2 of 8 MiB. */
const MAX_ZSTD_WINDOW_LOG = 23;

/** The memory that decompression takes, in bytes. */
export const DECOMPRESSION_BYTES: Readonly<Record<NonNullable<ArchiveType['coding']>, number>> = {
  gzip: 256 * 1024,
  zstd: 2 ** MAX_ZSTD_WINDOW_LOG,
};

/**
 * Decompresses chunks: all members of gzip, or the first frame of zstd.
 *
 * @throws `validation_failed` for damaged or incomplete data, and for zstd that needs more than 8 MiB; what `chunks` throws.
 */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
  coding: NonNullable<ArchiveType['coding']>,
): AsyncGenerator<Buffer> {
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG };
  const transform =
    coding === 'gzip'
      ? createGunzip({ chunkSize: CHUNK_BYTES })
      : createZstdDecompress({ chunkSize: CHUNK_BYTES, params });
  try {
    yield* through(chunks, transform);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (/^Z(?:STD)?_/.test(code)) throw invalid('archive', `the ${coding} data is damaged or incomplete (${message})`);
    throw error;
  }
}

/**
 * Inflates raw deflate data.
 *
 * @param compressedBytes The number of bytes that `chunks` has.
 * @throws Error of zlib for damaged or incomplete data, and for bytes after its end; what `chunks` throws.
 */
export async function* inflateRaw(chunks: AsyncIterable<Buffer>, compressedBytes: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  yield* through(chunks, inflater);
  if (inflater.bytesWritten !== compressedBytes) throw new Error('bytes follow the end of the deflate data');
}

async function* through(chunks: AsyncIterable<Buffer>, transform: Transform): AsyncGenerator<Buffer> {
  const fed = pipeline(Readable.from(chunks), transform);
  fed.catch(() => {}); // The iterator below throws the same error.
  try {
    for await (const chunk of transform as AsyncIterable<Buffer>) yield chunk;
  } finally {
    transform.destroy();
  }
}
