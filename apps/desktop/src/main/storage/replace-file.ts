import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { writeFile } from 'atomically';

/** How long to retry while another program, such as a virus scanner, holds the file, in milliseconds. */
const RETRY_FOR_MS = 2_000;

/**
 * Replaces a file that only its owner can read. Creates its folder. After a crash, or on a full disk, the file has either the old
 * or the new content.
 *
 * @throws Error when the file cannot be written.
 */
export async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A stream fails on a full disk. Given the content itself, the library ignores that only the beginning was written.
  await writeFile(path, Readable.from([content]), { mode: 0o600, timeout: RETRY_FOR_MS });
}
