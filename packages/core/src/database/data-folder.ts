import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Creates a folder and its parents, but without `recursive` of `mkdir`, which never returns for a folder below /proc. */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  if (await isFolder(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await isFolder(path))) throw error;
  });
}

/**
 * Makes sure that this process can write to a folder, and that the owner of the folder can read what it writes. Creates a
 * missing folder.
 *
 * @throws Error with the reason in one line.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await refuseForeignRoot(folder);
  } catch (error) {
    if (error instanceof ForeignFolder) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = REASONS[code] ?? 'the system reported an error';
    throw new Error(
      `DATA_DIR ${folder} cannot be used: ${reason} (${code}). Set DATA_DIR to a folder that this user can write to.`,
      { cause: error },
    );
  }
}

class ForeignFolder extends Error {}

/** The packs that root writes cannot be read by other users, so the owner of the folder could no longer serve them. */
async function refuseForeignRoot(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new ForeignFolder(
    `DATA_DIR ${folder} belongs to the user with the id ${uid}. Run Berth as this user, not as root, or set DATA_DIR to another folder.`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'the system does not permit this operation',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'the folder cannot be created here',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the path is too long',
};

/** Returns false if the path does not exist. @throws ENOTDIR if the path is not a folder. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' });
}
