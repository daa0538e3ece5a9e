import { promisify } from 'node:util';
import {
  brotliCompressSync,
  brotliDecompress,
  constants,
  gunzip,
  gzipSync,
  zstdCompressSync,
  zstdDecompress,
} from 'node:zlib';
import type { Coding } from '@berth/serving';

/** The compressed forms of a content that are worth keeping. */
export type CompressedBytes = Partial<Record<Coding, Uint8Array>>;

/** Maximum size at which the highest Brotli quality is fast enough. */
const MAX_BYTES_FOR_BEST_BROTLI = 1024 * 1024;
const BEST_BROTLI = 11;
const GOOD_BROTLI = 9;
/** The highest level whose window is at most the 8 MiB that every client supports. Source: RFC 9659. */
const ZSTD_LEVEL = 19;
/** Maximum size of a form that is kept, as a fraction of the size of its content. */
const MAX_KEPT_RATIO = 0.95;

const COMPRESS: Record<Coding, (bytes: Uint8Array) => Uint8Array> = {
  br: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length <= MAX_BYTES_FOR_BEST_BROTLI ? BEST_BROTLI : GOOD_BROTLI,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
  gzip: (bytes) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

const DECOMPRESS: Record<Coding, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>> = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
};

/**
 * Compresses a content with every supported coding, and returns the forms that save at least 5 %. Can block the calling
 * thread for some seconds. Source: serving S48.
 */
export function compressContent(bytes: Uint8Array): CompressedBytes {
  const maxBytes = bytes.length * MAX_KEPT_RATIO;
  const forms: CompressedBytes = {};
  for (const coding of Object.keys(COMPRESS) as Coding[]) {
    const form = COMPRESS[coding](bytes);
    if (form.length <= maxBytes) forms[coding] = form;
  }
  return forms;
}

/** @throws if the form is invalid, or decompresses to more than `maxBytes`. */
export function decompressForm(coding: Coding, form: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return DECOMPRESS[coding](form, { maxOutputLength: maxBytes });
}
