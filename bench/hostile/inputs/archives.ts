import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { pax, tar, TAR_END, tarEntry } from '@berth/testing/tar-bytes';
import { zip, type ZipEntry } from '@berth/testing/zip-bytes';
import { type Input, repeatedInput } from '../input.ts';
import type { World } from '../world.ts';

const MiB = 1024 ** 2;
const ZEROS = Buffer.alloc(256 * MiB);

/** Creates an input that deploys an archive with a deploy token. */
function deployArchive(label: string, type: string, body: Buffer): Input {
  return repeatedInput('archives', `${label}, deploy token`, ({ deployToken }: World) => ({
    path: '/deployments',
    key: deployToken,
    headers: { 'Content-Type': type },
    body,
  }));
}

/** Returns a tar archive of 10^6 empty files, in 100 members of gzip. */
function millionFiles(): Buffer {
  const member = gzipSync(Buffer.concat(Array<Buffer>(10_000).fill(tarEntry({ name: 'a' }))));
  return Buffer.concat([...Array<Buffer>(100).fill(member), gzipSync(TAR_END)]);
}

const emptyEntries = (count: number): ZipEntry[] =>
  Array.from({ length: count }, (_, n) => ({ name: `${n}.txt`, method: 0 }));
/** Entries that all read the same 16 MiB of zeros. */
const overlappingEntries = (): ZipEntry[] =>
  Array.from({ length: 200 }, (_, n) => ({ name: `${n}.bin`, body: ZEROS.subarray(0, 16 * MiB), offset: 0 }));
const manyPaxHeaders = () =>
  tar(Array.from({ length: 500 }, () => pax({ comment: 'x'.repeat(60_000) })).concat({ name: 'index.html' }));

/** Deploys archives that unpack to very much, have very many entries, or are damaged. */
export const ARCHIVE_INPUTS: readonly Input[] = [
  deployArchive('256 MiB of zeros in gzip', 'application/gzip', gzipSync(tar([{ name: 'zeros.bin', body: ZEROS }]))),
  deployArchive(
    '256 MiB of zeros in zstd',
    'application/zstd',
    zstdCompressSync(tar([{ name: 'zeros.bin', body: ZEROS }])),
  ),
  deployArchive('256 MiB of zeros in zip', 'application/zip', zip([{ name: 'zeros.bin', body: ZEROS }])),
  deployArchive('10^6 empty files in gzip', 'application/gzip', millionFiles()),
  deployArchive('60,000 empty files in zip', 'application/zip', zip(emptyEntries(60_000))),
  deployArchive('200 overlapping files in zip', 'application/zip', zip(overlappingEntries())),
  deployArchive('30 MB of extended headers in gzip', 'application/gzip', gzipSync(manyPaxHeaders())),
  deployArchive(
    '4 MB of stored gzip without an end',
    'application/gzip',
    gzipSync(Buffer.alloc(4 * MiB), { level: constants.Z_NO_COMPRESSION }).subarray(0, -8),
  ),
];
