import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Writes large pieces of a file directly to disk, bypassing the page cache. */
export interface DirectWriter {
  /** @returns `false` if the caller must write the bytes in the ordinary way. @throws for errors of the disk. */
  write(bytes: Uint8Array, position: number): Promise<boolean>;
  close(): Promise<void>;
}

/** O_DIRECT accepts whole blocks at block boundaries. Below the minimum it is not worth the effort. */
const BLOCK_BYTES = 4096;
const MIN_BYTES = 2 * 1024 * 1024;

/**
 * Writes large, aligned pieces of a file with O_DIRECT. A large upload then does not fill the page cache, which is better
 * used for served files, and saves the copy. If the file system rejects a piece with EINVAL, for example because the memory
 * is not page-aligned, no further piece is tried.
 *
 * As with any other write, nothing is durable before the file is synced.
 */
export function openDirectWriter(file: string): DirectWriter {
  let handle: FileHandle | null = null;
  // Not every system has O_DIRECT.
  let refused = constants.O_DIRECT === undefined;
  return {
    async write(bytes, position) {
      const isWhole = bytes.length % BLOCK_BYTES === 0 && position % BLOCK_BYTES === 0;
      if (refused || !isWhole || bytes.length < MIN_BYTES) return false;
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

/** Writes all bytes, repeating short writes. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
