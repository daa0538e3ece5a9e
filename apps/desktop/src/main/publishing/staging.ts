import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ClientError } from '@berth/client';
import pLimit from 'p-limit';
import { abortedError } from '../problem.ts';
import { isArchive, unzip } from './unzip.ts';

/** How many files are copied in parallel. */
const COPIES_IN_PARALLEL = 4;

export type Staging = ReturnType<typeof createStaging>;

/**
 * Manages private copies of files that were dropped together. Files are copied into a folder, because only folders can be
 * published.
 *
 * @param dir The folder of the copies. Nothing else may use it.
 */
export function createStaging(dir: string) {
  /** The folder of a publish job. It may not exist. */
  const folderOf = (id: string) => join(dir, id);
  const remove = (id: string) => rm(folderOf(id), { recursive: true, force: true });

  /**
   * Copies files into the folder of a publish job and replaces its old files. A single zip archive is unpacked instead. Disks that support it share the bytes of the copy
   * and the file. Memory use does not depend on the size. The target of a symbolic link is copied.
   *
   * @returns The folder. @throws ClientError `folder` with the file's name; `aborted`.
   */
  async function stageFiles(id: string, paths: readonly string[], signal: AbortSignal): Promise<string> {
    const folder = folderOf(id);
    await remove(id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (isArchive(paths)) return unpackOrRemove(id, paths[0]!, signal);
    const limit = pLimit({ concurrency: COPIES_IN_PARALLEL, rejectOnClear: true });
    const copying = Array.from(namesOf(paths), ([name, path]) =>
      limit(async () => {
        if (signal.aborted) throw abortedError();
        await copyEntry(path, join(folder, name), signal);
      }),
    );
    try {
      await Promise.all(copying);
    } catch (thrown) {
      limit.clearQueue();
      await Promise.allSettled(copying);
      await remove(id);
      throw thrown;
    }
    return folder;
  }

  async function unpackOrRemove(id: string, archive: string, signal: AbortSignal): Promise<string> {
    try {
      await unzip(archive, folderOf(id), signal);
      return folderOf(id);
    } catch (thrown) {
      await remove(id);
      throw thrown;
    }
  }

  /** Removes all copies except those of the given publish jobs. */
  async function keepOnly(ids: ReadonlySet<string>): Promise<void> {
    const names = await readdir(dir).catch(() => []);
    await Promise.all(names.filter((name) => !ids.has(name)).map(remove));
  }

  return { folderOf, stage: stageFiles, remove, keepOnly };
}

/** The published name of a file. A single page becomes `index.html`. */
export function publishedNameOf(paths: readonly string[], path: string): string {
  const isPage = /^\.html?$/i.test(extname(path));
  return paths.length === 1 && isPage ? 'index.html' : basename(path);
}

/**
 * Maps published names to paths. Ignores duplicate paths.
 *
 * @throws ClientError when two files have the same name. Upper and lower case count as the same.
 */
export function namesOf(paths: readonly string[]): Map<string, string> {
  const uniquePaths = [...new Set(paths)];
  const names = new Map<string, string>();
  const foldedNames = new Set<string>();
  for (const path of uniquePaths) {
    const name = publishedNameOf(uniquePaths, path);
    const foldedName = name.normalize('NFC').toLowerCase();
    const message = `Two of the files are named ${name}. Put them into a folder and drop the folder.`;
    if (foldedNames.has(foldedName)) throw new ClientError('folder', message, { file: name });
    foldedNames.add(foldedName);
    names.set(name, path);
  }
  return names;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file no longer exists',
  EACCES: 'you do not have permission to read the file',
  EPERM: 'you do not have permission to read the file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

async function copyEntry(path: string, to: string, signal: AbortSignal): Promise<void> {
  const name = basename(path);
  try {
    const realFile = await realpath(path);
    if (!(await stat(realFile)).isFile()) throw new ClientError('folder', `${name} is no longer a file.`);
    await copyFile(realFile, to, constants.COPYFILE_FICLONE_FORCE).catch(() =>
      // Most disks cannot share bytes. A stream, unlike `copyFile`, can be aborted.
      pipeline(createReadStream(realFile), createWriteStream(to, { mode: 0o600 }), { signal }),
    );
  } catch (thrown) {
    if (signal.aborted) throw abortedError();
    if (thrown instanceof ClientError) throw thrown;
    const reason = REASONS[(thrown as NodeJS.ErrnoException).code ?? ''] ?? 'the file cannot be copied';
    throw new ClientError('folder', `${name}: ${reason}.`, { file: name, cause: thrown });
  }
}
