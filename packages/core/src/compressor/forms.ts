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
import type { Coding } from '../serving/site.ts';

/** A content in the compressed forms that are worth keeping. */
export type Forms = Partial<Record<Coding, Uint8Array>>;

/** Up to here the best that Brotli can do is affordable. */
const BEST_BROTLI_BYTES = 1024 * 1024;
const BEST_BROTLI = 11;
const GOOD_BROTLI = 9;
/** The highest level that needs no larger window than the 8 MiB every client has. Source: RFC 9659. */
const ZSTD_LEVEL = 19;
/** What of a content a form may still take. */
const WORTH_KEEPING = 0.95;

const COMPRESS: Record<Coding, (bytes: Uint8Array) => Uint8Array> = {
  br: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length <= BEST_BROTLI_BYTES ? BEST_BROTLI : GOOD_BROTLI,
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
 * Compresses a content in every way that is served, and keeps a form only if it saves 5 %. Takes up to some seconds, all of
 * them on the calling thread.
 *
 * Source: serving S48.
 */
export function makeForms(bytes: Uint8Array): Forms {
  const most = bytes.length * WORTH_KEEPING;
  const forms: Forms = {};
  for (const coding of Object.keys(COMPRESS) as Coding[]) {
    const form = COMPRESS[coding](bytes);
    if (form.length <= most) forms[coding] = form;
  }
  return forms;
}

/**
 * The content of a form.
 *
 * @param maxBytes What the content may take at most.
 * @throws for bytes that are no such form, or hold more.
 */
export function decompress(coding: Coding, form: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return DECOMPRESS[coding](form, { maxOutputLength: maxBytes });
}
