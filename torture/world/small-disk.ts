import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The size of the disk. The log of the embedded PostgreSQL alone may take half of it. */
const DISK_MEBIBYTES = 500;
const BLOCK_BYTES = 64 * 1024;

/** A disk in memory that holds the data folder, so that filling it affects nothing else. */
export interface SmallDisk {
  /** Writes one file until the disk is full. */
  fill(): void;
  /** Removes that file. */
  free(): void;
  unmount(): void;
}

/** Mounts a small disk at a folder. @returns `null` without the privilege to mount. */
export function mountSmallDisk(folder: string): SmallDisk | null {
  const options = `size=${DISK_MEBIBYTES}m,mode=700`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) return null;
  const filler = join(folder, 'filler');
  return {
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (let size = BLOCK_BYTES; size >= 1; size = size === BLOCK_BYTES ? 4_096 : 0)
          for (const bytes = Buffer.alloc(size); writeSync(file, bytes) === size;);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => void spawnSync('umount', ['-l', folder]),
  };
}
