import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3_KEYS } from '@berth/testing/s3-signature';
import { type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { parseS3Address } from '../../../src/storage/s3/address.ts';
import type { PackStore } from '../../../src/storage/packs.ts';
import { openS3Packs, type S3Packs } from '../../../src/storage/s3/s3-packs.ts';

/** Opens the packs of a stub, as one node does. @param url Default: the bucket of the stub. */
export function openS3Stub(
  stub: S3Stub,
  folder: string,
  { url = stub.url, cacheBytes = 2 ** 30 } = {},
): Promise<S3Packs> {
  return openS3Packs({
    bucket: { ...parseS3Address(url), credentials: S3_KEYS },
    spoolFolder: join(folder, 'spool'),
    cache: { folder: join(folder, 'cache'), maxBytes: cacheBytes, processes: 1 },
  });
}

/** Opens the packs of a stub and a folder of their own, which `close` removes. */
export async function openOwnS3Stub(): Promise<{ store: PackStore; close(): Promise<void> }> {
  const stub = await startS3Stub();
  const folder = await mkdtemp(join(tmpdir(), 'berth-s3-'));
  const { packs, close } = await openS3Stub(stub, folder);
  return {
    store: packs,
    async close() {
      await close();
      await stub.close();
      await rm(folder, { recursive: true });
    },
  };
}
