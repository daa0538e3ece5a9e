import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it. `mkdir` with `recursive` never ends where the system answers that the parent is missing
 * although it is there, as /proc does.
 *
 * @throws the error of the system, with its code.
 */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const missing: string[] = [];
  for (let at = path; !(await isFolder(at)); at = dirname(at)) missing.unshift(at);
  for (const each of missing)
    await mkdir(each).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || !(await isFolder(each))) throw error;
    });
}

/**
 * Makes sure that this process can keep data in a folder, making it when it is missing.
 *
 * @throws Error that says why it cannot, in one line.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR ${folder} ${REASONS[code] ?? `cannot be used (${code})`}. ${WHAT_TO_DO}`, {
      cause: error,
    });
  }
}

const WHAT_TO_DO = 'Set DATA_DIR to a folder that this user can write to.';
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be used: permission denied (EACCES)',
  EPERM: 'cannot be used: operation not permitted (EPERM)',
  EROFS: 'is on a read-only file system (EROFS)',
  ENOTDIR: 'is a file, or below one (ENOTDIR)',
  ENOENT: 'cannot be made here (ENOENT)',
  ENOSPC: 'cannot be made: the disk is full (ENOSPC)',
  ENAMETOOLONG: 'cannot be made: the path is too long (ENAMETOOLONG)',
};

/** False when there is nothing. @throws ENOTDIR when there is something else. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`ENOTDIR: ${path} is not a folder`), { code: 'ENOTDIR' });
}
