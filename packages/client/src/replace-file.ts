import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MODES = { folder: 0o700, file: 0o600 };
/** On Windows another program, such as a virus scanner, can hold a file for a moment. */
const HELD_FILE_CODES = new Set(['EACCES', 'EBUSY', 'EPERM']);
const RETRY_FOR_MS = 2_000;
const RETRY_EVERY_MS = 50;

/**
 * Replaces a file that only its owner can read. Creates the folder of the file. After a crash, or on a full disk, the file has
 * either the old or the new text.
 *
 * @throws Error if the file cannot be written.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: MODES.folder });
  const draftPath = draftOf(path);
  try {
    const file = await open(draftPath, 'w', MODES.file);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameRetrying(draftPath, path);
  } catch (error) {
    await rm(draftPath, { force: true });
    throw error;
  }
}

/** Replaces a file like {@link replaceFile}, but synchronously. If the machine crashes soon after, the new text may be lost. */
export function replaceFileSync(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: MODES.folder });
  const draftPath = draftOf(path);
  try {
    writeFileSync(draftPath, content, { mode: MODES.file });
    renameSync(draftPath, path);
  } catch (error) {
    rmSync(draftPath, { force: true });
    throw error;
  }
}

/** Returns the path of the draft. Processes have separate drafts. A draft that a crash left is overwritten by a later write. */
function draftOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

async function renameRetrying(from: string, to: string): Promise<void> {
  for (const retryUntil = performance.now() + RETRY_FOR_MS; ; await sleep(RETRY_EVERY_MS)) {
    try {
      return await rename(from, to);
    } catch (error) {
      const isHeld = process.platform === 'win32' && HELD_FILE_CODES.has((error as NodeJS.ErrnoException).code ?? '');
      if (!isHeld || performance.now() > retryUntil) throw error;
    }
  }
}
