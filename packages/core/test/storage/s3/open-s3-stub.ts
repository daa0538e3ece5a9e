import { join } from 'node:path';
import { S3_KEYS } from '@berth/testing/s3-signature';
import type { S3Stub } from '@berth/testing/s3-stub';
import { parseS3Address } from '../../../src/storage/s3/address.ts';
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
