import { createHash, randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { PackStore } from '@berth/core';
import type { Coding, Manifest } from '@berth/serving';
import { pack } from '../running-host.ts';

/** A file of the test sites, with what the answers must say about it. */
export interface SampleFile {
  bytes: Buffer;
  contentType: string;
  /** Whether its media type is compressible, even if there are no compressed forms. */
  compressible: boolean;
  /** Whether its name says that its bytes never change. */
  hashed: boolean;
  /** Its compressed forms, if they exist. */
  forms: Partial<Record<Coding, Buffer>>;
}

/** Request paths that find nothing. */
export const MISSING = ['/nothing', '/docs/nothing/', '/app.4f3a9b22.js', '/index.html/', '/large.mp4.gz'];

const COMPRESS: Record<Coding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
};

function sample(
  bytes: string | Buffer,
  contentType: string,
  { codings = [], compressible = true, hashed = false }: { codings?: Coding[] } & Partial<SampleFile> = {},
): SampleFile {
  const content = Buffer.from(bytes as string);
  const forms = Object.fromEntries(codings.map((coding) => [coding, COMPRESS[coding](content)]));
  return { bytes: content, contentType, compressible, hashed, forms };
}

const text = (word: string) => `${word} `.repeat(600);
const data = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, name: `n${id % 7}` })));
/** Too large to be cached in memory, compressed or not. */
const LARGE_BYTES = 2.25 * 1024 * 1024;

const ALL: Coding[] = ['br', 'zstd', 'gzip'];

export const FILES: Readonly<Record<string, SampleFile>> = {
  'index.html': sample(text('front'), 'text/html; charset=utf-8', { codings: ALL }),
  'docs/guide.html': sample(text('guide'), 'text/html; charset=utf-8', { codings: ['gzip'] }),
  'app.4f3a9b21.js': sample(text('app();'), 'text/javascript; charset=utf-8', { codings: ALL, hashed: true }),
  'page-4f3a9b21.html': sample(text('page'), 'text/html; charset=utf-8', { codings: ['br', 'gzip'] }),
  'data.json': sample(data, 'application/json', { codings: ['zstd', 'gzip'] }),
  'not-ready.css': sample(text('a{}'), 'text/css; charset=utf-8'),
  'empty.txt': sample('', 'text/plain; charset=utf-8'),
  'one.txt': sample('1', 'text/plain; charset=utf-8'),
  // Compressed forms belong to bytes: this file has forms because other paths have the same bytes.
  'same-as-data.bin': sample(data, 'application/octet-stream', { codings: ['zstd', 'gzip'], compressible: false }),
  'photo-4f3a9b21.png': sample(randomBytes(900), 'image/png', { compressible: false, hashed: true }),
  'app.js.br': sample(text('app();'), 'application/octet-stream', { compressible: false }),
  '404.html': sample(text('not here'), 'text/html; charset=utf-8', { codings: ALL }),
  'large.csv': sample(randomBytes(LARGE_BYTES).toString('base64'), 'text/csv; charset=utf-8', { codings: ['br'] }),
  'large.mp4': sample(randomBytes(LARGE_BYTES), 'video/mp4', { compressible: false }),
};

/** The file that each request path of the sites finds. */
export const PATHS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(FILES).map((path) => [`/${path}`, path])),
  '/': 'index.html',
  '/docs/guide': 'docs/guide.html',
  '/docs/guide.html?v=1': 'docs/guide.html',
  '/app.4f3a9b21.js?v=2': 'app.4f3a9b21.js',
};

/** The strong entity tag of an answer with these bytes, in one of their forms. */
export function tagOf({ bytes }: SampleFile, coding: Coding | null): string {
  const digits = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return coding === null ? `"${digits}"` : `"${digits}-${coding}"`;
}

/** Writes the files and their forms into a store. */
export async function packSamples(packs: PackStore): Promise<Manifest> {
  const contents = Object.entries(FILES).flatMap(([path, { bytes, forms }]): [string, Buffer][] => [
    [path, bytes],
    ...Object.entries(forms).map(([coding, form]): [string, Buffer] => [`${path} ${coding}`, form]),
  ]);
  const places = await pack(packs, 'samples', Object.fromEntries(contents));
  return new Map(
    Object.entries(FILES).map(([path, { forms }]) => {
      const compressed = Object.keys(forms).map((coding) => [coding, places.get(`${path} ${coding}`)!]);
      return [path, { ...places.get(path)!, compressed: Object.fromEntries(compressed) }];
    }),
  );
}
