import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Opens an empty temporary file that has no name, so that its bytes are freed when it is closed or the process ends. Other processes
 * may remove all files in the folder at any time, as each process does when it starts.
 *
 * @param folder Must exist.
 * @returns The file, for reading and writing. The caller must close it.
 * @throws the error of the disk, such as `ENOSPC`.
 */
export async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path, { force: true });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
