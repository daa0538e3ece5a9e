import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Writes large pieces of a file past the page cache. */
export interface DirectWriter {
  /** @returns Whether it is written; if not, it is to be written as ever. @throws what the disk does. */
  write(bytes: Uint8Array, position: number): Promise<boolean>;
  close(): Promise<void>;
}

/** What a disk takes as it is: whole blocks, at whole blocks; and only so much that it is worth it. */
const BLOCK_BYTES = 4096;
const LEAST_BYTES = 2 * 1024 * 1024;

/**
 * Writes large, aligned pieces of a file straight to its disk. A large upload then takes no room in the page cache, which
 * has better use for it, nor the time to fill it. A file system that refuses a piece is not asked again; bytes that begin
 * at no page of memory are such a piece.
 *
 * Nothing is durable before the file is synced, like any other write.
 */
export function openDirectWriter(file: string): DirectWriter {
  let handle: FileHandle | null = null;
  // Not every system has it.
  let refused = constants.O_DIRECT === undefined;
  return {
    async write(bytes, position) {
      const isWhole = bytes.length % BLOCK_BYTES === 0 && position % BLOCK_BYTES === 0;
      if (refused || !isWhole || bytes.length < LEAST_BYTES) return false;
      try {
        handle ??= await open(file, constants.O_WRONLY | constants.O_DIRECT);
        await writeFully(handle, bytes, position);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
        refused = true;
        return false;
      }
    },
    async close() {
      await handle?.close().catch(() => {});
      handle = null;
    },
  };
}

/** Writes all the bytes, in as many steps as it takes. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
