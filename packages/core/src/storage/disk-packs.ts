import { type FileHandle, mkdir, open, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { failpoint } from '../failpoints.ts';
import { createBackgroundSync } from './background-sync.ts';
import { openDirectWriter } from './direct-writer.ts';
import { createOpenFiles, type OpenFiles } from './open-files.ts';
import type { ContentLocation, PackFile, PackReader, PackStore } from './packs.ts';
import { readFully, writeFully } from './whole-bytes.ts';

const SUFFIX = '.pack';
/** With less free space than this, packs count as not writable. */
const MIN_FREE_BYTES = 16 * 1024 ** 2;
const PROBE = Buffer.alloc(4096, 'a probe of the disk ');
const CHUNK_BYTES = 256 * 1024;
/** The transaction holds locks that block other deploys while it waits for its pack. */
const CONCURRENT_SEAL_BYTES = 64 * 1024 ** 2;
const SHARDS = Array.from({ length: 16 }, (_, i) => i.toString(16));

/** Opens a store of packs as files in 16 folders below `root`, which are created if they are missing. */
export async function openDiskPacks(root: string): Promise<PackStore> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const presentFolders = new Set(await readdir(root));
  for (const shard of SHARDS)
    if (!presentFolders.has(shard)) await mkdir(join(root, shard), { recursive: true, mode: 0o700 });
  await syncFolder(root);

  const folderOf = (pack: string) => join(root, pack.slice(0, 1));
  const fileOf = (pack: string) => join(folderOf(pack), pack + SUFFIX);
  const files = createOpenFiles();
  const reader: PackReader = {
    stream: (place) => Readable.from(chunksOf(files, fileOf(place.pack), place), { objectMode: false }),
    async read(place) {
      const file = await files.use(fileOf(place.pack));
      try {
        // A buffer from the pool of Node would keep the whole slab alive as long as the caller keeps the bytes.
        const bytes = Buffer.allocUnsafeSlow(place.length);
        await file.read(bytes, place.offset);
        return bytes;
      } finally {
        file.release();
      }
    },
  };
  return {
    ...reader,
    concurrentSealBytes: CONCURRENT_SEAL_BYTES,
    scan: () => reader,
    async create(pack) {
      const handle = await open(fileOf(pack), 'wx+', 0o600);
      failpoint('pack.created');
      return diskPack(handle, fileOf(pack), folderOf(pack));
    },
    async modified(pack) {
      try {
        return (await stat(fileOf(pack))).mtime;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async remove(pack) {
      files.forget(fileOf(pack));
      await rm(fileOf(pack), { force: true });
    },
    checkWritable: () => checkWritable(root),
    async *list() {
      for (const shard of SHARDS)
        for (const name of await readdir(join(root, shard)))
          if (name.endsWith(SUFFIX)) yield name.slice(0, -SUFFIX.length);
    },
  };
}

/** Writes and removes a small file. The file is beside the folders of the packs, so that no job takes it for a pack. */
async function checkWritable(root: string): Promise<void> {
  const { bavail, bsize } = await statfs(root);
  if (bavail * bsize < MIN_FREE_BYTES)
    throw Object.assign(new Error('The disk of the packs is almost full.'), { code: 'ENOSPC' });
  const file = join(root, `probe-${process.pid}`);
  try {
    await writeFile(file, PROBE, { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

function diskPack(handle: FileHandle, file: string, folder: string): PackFile {
  const directWriter = openDirectWriter(file);
  const backgroundSync = createBackgroundSync(handle);
  return {
    async write(bytes, position) {
      if (!(await directWriter.write(bytes, position))) await writeFully(handle, bytes, position);
      backgroundSync.wrote(bytes.length);
    },
    read: (bytes, position) => readFully(handle, bytes, position),
    async seal(size) {
      try {
        await backgroundSync.settle();
        await handle.truncate(size);
        await handle.sync();
        failpoint('pack.synced');
      } finally {
        await directWriter.close();
        await handle.close();
      }
      await syncFolder(folder);
    },
    async abandon() {
      await directWriter.close();
      await backgroundSync.settle().catch(() => {});
      await handle.close().catch(() => {});
      await rm(file, { force: true });
    },
  };
}

/** Yields one content in chunks. Releases the file even if the reader stops early. */
async function* chunksOf(files: OpenFiles, path: string, { offset, length }: ContentLocation): AsyncGenerator<Buffer> {
  const file = await files.use(path);
  try {
    for (let readLength = 0; readLength < length;) {
      const bytes = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - readLength));
      await file.read(bytes, offset + readLength);
      readLength += bytes.length;
      yield bytes;
    }
  } finally {
    file.release();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
