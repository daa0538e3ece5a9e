import { mkdir, statfs } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsOutput,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import type { PackStore } from '../packs.ts';
import { openUnnamedFile } from '../unnamed-file.ts';
import { createBackground } from './background.ts';
import { type BlockCacheOptions, openBlockCache } from './block-cache.ts';
import { createBodies } from './bodies.ts';
import { type Bucket, type BucketOptions, isMissing, openBucket, storeFailed } from './bucket.ts';
import { createRangeReader } from './ranges.ts';
import { createCachedReader, createScanReader } from './readers.ts';
import { spooledPack } from './spooled-pack.ts';
import { createStoreMarker, type StoreMarker } from './store-marker.ts';
import { Upload } from './upload.ts';

export interface S3PacksOptions {
  bucket: BucketOptions;
  /** The local folder in which packs are written before they are uploaded. */
  spoolFolder: string;
  cache: BlockCacheOptions;
}

/** A store of packs in a bucket. */
export interface S3Packs {
  packs: PackStore;
  /** The object that says to which installation the packs belong. */
  marker: StoreMarker;
  /** Resolves when the copies to the cache have ended that were started. */
  settled(): Promise<void>;
  /** Finishes the copies to the cache, and closes the connections. */
  close(): Promise<void>;
}

/** How long the bucket counts as usable after a request has succeeded, because probes are frequent and requests cost money. */
const PROBE_MS = 10_000;
const MIN_FREE_BYTES = 16 * 1024 ** 2;

/**
 * Opens a store of packs in a bucket: one pack, one object. Packs are written to a local file, and uploaded when they are sealed.
 * Contents are read by range, through a cache on the local disk. Makes no request.
 *
 * @throws the error of the disk if a folder cannot be created. Source: api §14; storage §13.
 */
export async function openS3Packs(options: S3PacksOptions): Promise<S3Packs> {
  const bucket = openBucket(options.bucket);
  const cache = await openBlockCache(options.cache);
  await mkdir(options.spoolFolder, { recursive: true, mode: 0o700 });
  const folder = `${bucket.prefix}packs/`;
  const keyOf = (pack: string) => folder + pack;
  const background = createBackground();
  const readBlocks = createRangeReader(bucket, keyOf);
  const reader = createCachedReader({ readBlocks, cache, background });
  const bodies = createBodies();
  const marker = createStoreMarker(bucket);
  /** The packs that this process is writing, and when their writing began. */
  const openPacks = new Map<string, Date>();
  let probedAt = -Infinity;

  async function remove(pack: string): Promise<void> {
    openPacks.delete(pack);
    await removeObject(bucket, keyOf(pack)).catch((error: unknown) => {
      throw storeFailed(`remove pack ${pack}`, error);
    });
    // Copies and reads that began earlier would cache the pack again.
    await background.settled(pack);
    reader.forget(pack);
    await cache.forget(pack);
  }

  async function close(): Promise<void> {
    await background.settled();
    await bodies.close();
    bucket.close();
  }

  const packs: PackStore = {
    stream: reader.stream,
    read: reader.read,
    concurrentSealBytes: 0,
    scan: () => createScanReader(readBlocks),
    async create(pack) {
      if (openPacks.has(pack)) throw new Error(`Pack ${pack} is being written already`);
      openPacks.set(pack, new Date());
      const file = await openUnnamedFile(options.spoolFolder).catch((error: unknown) => {
        openPacks.delete(pack);
        throw error;
      });
      const source = { pack, key: keyOf(pack), file };
      const onEnd = () => void openPacks.delete(pack);
      const upload = new Upload(bucket, source, bodies);
      return spooledPack({ source, upload, cache, background, onEnd, remove: () => remove(pack) });
    },
    async modified(pack) {
      return openPacks.get(pack) ?? (await modifiedAt(bucket, keyOf(pack)));
    },
    remove,
    async checkWritable() {
      const { bavail, bsize } = await statfs(options.spoolFolder);
      if (bavail * bsize < MIN_FREE_BYTES)
        throw Object.assign(new Error('The disk for uploads is almost full.'), { code: 'ENOSPC' });
      if (performance.now() - probedAt < PROBE_MS) return;
      await marker.read();
      probedAt = performance.now();
    },
    list: () => listPacks(bucket, folder, openPacks),
  };
  return { packs, marker, settled: () => background.settled(), close };
}

/** Removes an object, and the parts of uploads that did not finish. */
async function removeObject(bucket: Bucket, Key: string): Promise<void> {
  const { client, name: Bucket } = bucket;
  for await (const { key, UploadId } of listUploads(bucket, Key))
    if (key === Key)
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch((error: unknown) => {
        if ((error as Error).name !== 'NoSuchUpload') throw error;
      });
  await client.send(new DeleteObjectCommand({ Bucket, Key }));
}

/** Returns when an object was stored, or its upload in parts was begun; `null` if there is neither. */
async function modifiedAt(bucket: Bucket, key: string): Promise<Date | null> {
  const { client, name: Bucket } = bucket;
  try {
    const { LastModified: modified } = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
    return modified ?? null;
  } catch (error) {
    if (!isMissing(error)) throw storeFailed('find a pack', error);
    // The response to HEAD does not say whether the object is missing or the bucket. The list does.
    for await (const upload of listUploads(bucket, key)) if (upload.key === key) return upload.begun;
    return null;
  }
}

/** Lists the objects of packs, and the packs of which parts were uploaded. */
async function* listPacks(
  bucket: Bucket,
  folder: string,
  openPacks: ReadonlyMap<string, Date>,
): AsyncGenerator<string> {
  const open = new Set(openPacks.keys());
  for await (const { key } of listUploads(bucket, folder)) open.add(key.slice(folder.length));
  for await (const key of listKeys(bucket, folder)) {
    const pack = key.slice(folder.length);
    open.delete(pack);
    yield pack;
  }
  yield* open;
}

/** Lists the uploads in parts that did not finish. */
async function* listUploads(
  { client, name: Bucket }: Bucket,
  Prefix: string,
): AsyncGenerator<{ key: string; UploadId: string; begun: Date }> {
  let next: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (next) {
    const page = await client
      .send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...next }))
      .catch((error: unknown) => {
        throw storeFailed('list uploads', error);
      });
    const {
      Uploads: uploads = [],
      IsTruncated: isTruncated,
      NextKeyMarker,
      NextUploadIdMarker,
    } = page as ListMultipartUploadsOutput;
    for (const { Key: key, UploadId, Initiated: begun = new Date() } of uploads)
      if (key !== undefined && UploadId !== undefined) yield { key, UploadId, begun };
    next = isTruncated ? { KeyMarker: NextKeyMarker!, UploadIdMarker: NextUploadIdMarker! } : null;
  }
}

async function* listKeys({ client, name: Bucket }: Bucket, Prefix: string): AsyncGenerator<string> {
  try {
    for await (const { Contents: contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
      for (const { Key: key } of contents) if (key !== undefined) yield key;
  } catch (error) {
    throw storeFailed('list packs', error);
  }
}
