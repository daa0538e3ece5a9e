import { createHash, randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import type { PackStore } from '@berth/core';
import type { Coding } from '@berth/serving';
import { MapManifest } from '@berth/testing/map-manifest';
import { packAll } from '../running-host.ts';

/** A file of the test sites, with the facts that responses must show. */
export interface SampleFile {
  bytes: Buffer;
  contentType: string;
  /** Whether the media type is compressible, even if there are no compressed forms. */
  compressible: boolean;
  /** Whether the file name contains a hash, so that the bytes never change. */
  hashed: boolean;
  forms: Partial<Record<Coding, Buffer>>;
}

/** Request paths that find no file. */
export const MISSING_PATHS = ['/nothing', '/docs/nothing/', '/app.4f3a9b22.js', '/index.html/', '/large.mp4.gz'];

const COMPRESSORS: Record<Coding, (bytes: Buffer) => Buffer> = {
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
  const forms = Object.fromEntries(codings.map((coding) => [coding, COMPRESSORS[coding](content)]));
  return { bytes: content, contentType, compressible, hashed, forms };
}

const repeatedWord = (word: string) => `${word} `.repeat(600);
const json = JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, name: `n${id % 7}` })));
/** Size in bytes of a file that is too large for the memory cache, compressed or not. */
const LARGE_BYTES = 2.25 * 1024 * 1024;

const CODINGS: Coding[] = ['br', 'zstd', 'gzip'];

export const FILES: Readonly<Record<string, SampleFile>> = {
  'index.html': sample(repeatedWord('front'), 'text/html; charset=utf-8', { codings: CODINGS }),
  'docs/guide.html': sample(repeatedWord('guide'), 'text/html; charset=utf-8', { codings: ['gzip'] }),
  'app.4f3a9b21.js': sample(repeatedWord('app();'), 'text/javascript; charset=utf-8', {
    codings: CODINGS,
    hashed: true,
  }),
  'page-4f3a9b21.html': sample(repeatedWord('page'), 'text/html; charset=utf-8', { codings: ['br', 'gzip'] }),
  'data.json': sample(json, 'application/json', { codings: ['zstd', 'gzip'] }),
  'not-ready.css': sample(repeatedWord('a{}'), 'text/css; charset=utf-8'),
  'empty.txt': sample('', 'text/plain; charset=utf-8'),
  'one.txt': sample('1', 'text/plain; charset=utf-8'),
  // Equal bytes share their compressed forms, so this file has the forms of data.json.
  'same-as-data.bin': sample(json, 'application/octet-stream', { codings: ['zstd', 'gzip'], compressible: false }),
  'photo-4f3a9b21.png': sample(randomBytes(900), 'image/png', { compressible: false, hashed: true }),
  'app.js.br': sample(repeatedWord('app();'), 'application/octet-stream', { compressible: false }),
  '404.html': sample(repeatedWord('not here'), 'text/html; charset=utf-8', { codings: CODINGS }),
  'large.csv': sample(randomBytes(LARGE_BYTES).toString('base64'), 'text/csv; charset=utf-8', { codings: ['br'] }),
  'large.mp4': sample(randomBytes(LARGE_BYTES), 'video/mp4', { compressible: false }),
};

/** The file that each request path finds. */
export const FILE_BY_PATH: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(FILES).map((path) => [`/${path}`, path])),
  '/': 'index.html',
  '/docs/guide': 'docs/guide.html',
  '/docs/guide.html?v=1': 'docs/guide.html',
  '/app.4f3a9b21.js?v=2': 'app.4f3a9b21.js',
};

/** Returns the strong entity tag of the bytes in one of their forms. */
export function tagOf({ bytes }: SampleFile, coding: Coding | null): string {
  const digits = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return coding === null ? `"${digits}"` : `"${digits}-${coding}"`;
}

export async function packSamples(packs: PackStore): Promise<MapManifest> {
  const contents = Object.entries(FILES).flatMap(([path, { bytes, forms }]): [string, Buffer][] => [
    [path, bytes],
    ...Object.entries(forms).map(([coding, form]): [string, Buffer] => [`${path} ${coding}`, form]),
  ]);
  const locations = await packAll(packs, 'samples', Object.fromEntries(contents));
  return new MapManifest(
    Object.entries(FILES).map(([path, { forms }]) => {
      const compressed = Object.keys(forms).map((coding) => [coding, locations.get(`${path} ${coding}`)!]);
      return [path, { ...locations.get(path)!, compressed: Object.fromEntries(compressed) }];
    }),
  );
}
