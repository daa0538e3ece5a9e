import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MODES = { folder: 0o700, file: 0o600 };
/** On Windows another program, such as a virus scanner, can hold a file for a moment. */
const HELD = new Set(['EACCES', 'EBUSY', 'EPERM']);
const RETRY_FOR_MS = 2_000;
const RETRY_EVERY_MS = 50;

/**
 * Replaces a file that only its owner can read. Creates its folder. After a crash, or on a full disk, the file has either
 * the old or the new content.
 *
 * @throws Error when the file cannot be written.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: MODES.folder });
  const draft = draftOf(path);
  try {
    const file = await open(draft, 'w', MODES.file);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameRetrying(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Like {@link replaceFile}, but returns when it is done. The content can get lost if the machine crashes soon after. */
export function replaceFileSync(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: MODES.folder });
  const draft = draftOf(path);
  try {
    writeFileSync(draft, content, { mode: MODES.file });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Two processes never share a draft, and the next write overwrites one that a crash left. */
function draftOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

async function renameRetrying(from: string, to: string): Promise<void> {
  for (const end = performance.now() + RETRY_FOR_MS; ; await sleep(RETRY_EVERY_MS)) {
    try {
      return await rename(from, to);
    } catch (error) {
      const isHeld = process.platform === 'win32' && HELD.has((error as NodeJS.ErrnoException).code ?? '');
      if (!isHeld || performance.now() > end) throw error;
    }
  }
}
