import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents. `mkdir` with `recursive` never returns if the system reports an existing parent as missing,
 * as /proc does.
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
 * Makes sure that this process can write to a folder. Creates the folder if it is missing.
 *
 * @throws Error with the reason in one line.
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
  ENOENT: 'cannot be created here (ENOENT)',
  ENOSPC: 'cannot be created: the disk is full (ENOSPC)',
  ENAMETOOLONG: 'cannot be created: the path is too long (ENAMETOOLONG)',
};

/** False if the path does not exist. @throws ENOTDIR if it is not a folder. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`ENOTDIR: ${path} is not a folder`), { code: 'ENOTDIR' });
}
