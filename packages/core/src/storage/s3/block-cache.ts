import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBlock, STORED_BLOCK_BYTES } from './blocks.ts';

/** Keeps blocks of packs in files on the local disk. All processes of a machine can share its folder. */
export interface BlockCache {
  /** Returns the bytes of a block; `null` if it is not cached, or damaged. */
  read(pack: string, number: number): Promise<Buffer | null>;
  /** Caches a stored block, with its checksum. Does not throw: without room on the disk, the block is not cached. */
  write(pack: string, number: number, stored: Buffer): Promise<void>;
  /** Removes the blocks of a pack. */
  forget(pack: string): Promise<void>;
}

export interface BlockCacheOptions {
  folder: string;
  /** The maximum size of all files, in bytes. The blocks that were not read for the longest time are removed first. */
  maxBytes: number;
  /** The number of processes that share the folder. */
  processes: number;
}

/** Each process removes files once it has written its part of this share of the maximum. The rest is kept. */
const MARGIN = 1 / 8;
const SHARDS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const BLOCK_FILE = /^[\w-]+\.\d+$/;
/** How long a temporary file of a process that was killed is kept. */
const TEMPORARY_MS = 10 * 60_000;

interface CachedFile {
  path: string;
  bytes: number;
  usedMs: number;
  isBlock: boolean;
}

export async function openBlockCache({ folder, maxBytes, processes }: BlockCacheOptions): Promise<BlockCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const present = new Set(await readdir(folder));
  for (const shard of SHARDS)
    if (!present.has(shard)) await mkdir(join(folder, shard), { recursive: true, mode: 0o700 });
  const shardOf = (pack: string) => join(folder, /^[0-9a-f]{2}/.exec(pack)?.[0] ?? '00');
  const fileOf = (pack: string, number: number) => join(shardOf(pack), `${pack}.${number}`);
  const marginBytes = Math.floor(maxBytes * MARGIN);
  const ownBytes = Math.max(STORED_BLOCK_BYTES, Math.floor(marginBytes / processes));
  // The size of what earlier processes have left is unknown.
  let writtenBytes = ownBytes;
  let removing: Promise<void> | null = null;

  async function makeRoom(): Promise<void> {
    try {
      await removeOldest(await listFiles(folder), maxBytes - marginBytes);
      writtenBytes = 0;
    } finally {
      removing = null;
    }
  }

  return {
    async read(pack, number) {
      const path = fileOf(pack, number);
      const stored = await readFileAndTouch(path);
      const bytes = stored && openBlock(pack, number, stored);
      if (stored && !bytes) await rm(path, { force: true });
      return bytes;
    },
    async write(pack, number, stored) {
      if (stored.length > ownBytes) return;
      const temporary = join(shardOf(pack), `new-${randomBytes(8).toString('hex')}`);
      try {
        if (writtenBytes + stored.length > ownBytes) await (removing ??= makeRoom());
        writtenBytes += stored.length;
        await writeFile(temporary, stored, { mode: 0o600, flag: 'wx' });
        await rename(temporary, fileOf(pack, number));
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
    async forget(pack) {
      for (const name of await readdir(shardOf(pack)))
        if (name.startsWith(`${pack}.`)) await rm(join(shardOf(pack), name), { force: true });
    },
  };
}

/** Returns the bytes of a file, and records that it was used now; `null` if it cannot be read. */
async function readFileAndTouch(path: string): Promise<Buffer | null> {
  try {
    await using handle = await open(path, 'r');
    const { size } = await handle.stat();
    if (size > STORED_BLOCK_BYTES) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafeSlow(size);
    const { bytesRead } = await handle.read(bytes, 0, size, 0);
    const now = new Date();
    await handle.utimes(now, now);
    return bytes.subarray(0, bytesRead);
  } catch {
    return null;
  }
}

async function listFiles(folder: string): Promise<CachedFile[]> {
  const files: CachedFile[] = [];
  for (const shard of SHARDS) {
    const names = await readdir(join(folder, shard));
    const found = names.map(async (name) => {
      const path = join(folder, shard, name);
      // Another process may have removed it in the meantime.
      const status = await stat(path).catch(() => null);
      if (status) files.push({ path, bytes: status.size, usedMs: status.mtimeMs, isBlock: BLOCK_FILE.test(name) });
    });
    await Promise.all(found);
  }
  return files;
}

async function removeOldest(files: readonly CachedFile[], keepBytes: number): Promise<void> {
  let totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes, usedMs, isBlock } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
    const isLeft = !isBlock && usedMs < Date.now() - TEMPORARY_MS;
    if (!isLeft && totalBytes <= keepBytes) continue;
    await rm(path, { force: true });
    totalBytes -= bytes;
  }
}
