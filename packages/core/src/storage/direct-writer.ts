import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFully } from './whole-bytes.ts';

/** O_DIRECT accepts only whole blocks at block boundaries. */
const BLOCK_BYTES = 4096;
/** The minimum size of a piece for which O_DIRECT is faster, in bytes. */
const MIN_BYTES = 1024 ** 2;

/**
 * Opens a writer that writes large, aligned pieces of a file with O_DIRECT, so that an upload does not pay for new pages of the
 * page cache, and does not displace served files from it. After an EINVAL, for example because memory is not page-aligned, the writer refuses every piece.
 */
export function openDirectWriter(file: string) {
  let handle: FileHandle | null = null;
  // Some systems have no O_DIRECT.
  let isRefused = constants.O_DIRECT === undefined;
  return {
    /** @returns `false` if the caller must write the bytes in the ordinary way. @throws for errors of the disk. */
    async write(bytes: Uint8Array, position: number): Promise<boolean> {
      const isWholeBlocks = bytes.length % BLOCK_BYTES === 0 && position % BLOCK_BYTES === 0;
      if (isRefused || !isWholeBlocks || bytes.length < MIN_BYTES) return false;
      try {
        handle ??= await open(file, constants.O_WRONLY | constants.O_DIRECT);
        await writeFully(handle, bytes, position);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
        isRefused = true;
        return false;
      }
    },
    async close(): Promise<void> {
      await handle?.close().catch(() => {});
      handle = null;
    },
  };
}
