import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ClientError } from '@berth/client';
import pLimit from 'p-limit';

/** How many files are copied in parallel. */
const AT_ONCE = 4;

/** Private copies of files that were dropped together. They are copied into a folder, because only folders can be published. */
export class Staging {
  readonly #dir: string;

  /** @param dir The folder of the copies. Nothing else may use it. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The folder of a publishing. It may not exist. */
  folderOf(id: string): string {
    return join(this.#dir, id);
  }

  /**
   * Copies files into the folder of a publishing, replacing its content. On disks that support it, a copy shares its bytes with
   * the file. Memory use does not depend on the size. For a symbolic link, its target is copied.
   *
   * @returns The folder. @throws ClientError `folder`, naming the file; `aborted`.
   */
  async stage(id: string, paths: readonly string[], signal: AbortSignal): Promise<string> {
    const folder = this.folderOf(id);
    await this.remove(id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const limit = pLimit({ concurrency: AT_ONCE, rejectOnClear: true });
    const copying = Array.from(namesOf(paths), ([name, path]) =>
      limit(async () => {
        if (signal.aborted) throw aborted();
        await copy(path, join(folder, name), signal);
      }),
    );
    try {
      await Promise.all(copying);
    } catch (thrown) {
      limit.clearQueue();
      await Promise.allSettled(copying);
      await this.remove(id);
      throw thrown;
    }
    return folder;
  }

  /** Removes the copies of a publishing, if there are any. */
  async remove(id: string): Promise<void> {
    await rm(this.folderOf(id), { recursive: true, force: true });
  }

  /** Removes all copies except those of the given publishings. */
  async keepOnly(ids: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#dir).catch(() => []);
    await Promise.all(names.filter((name) => !ids.has(name)).map((name) => this.remove(name)));
  }
}

/** The published name of a file. A single page becomes `index.html`. */
export function publishedNameOf(paths: readonly string[], path: string): string {
  const isPage = /^\.html?$/i.test(extname(path));
  return paths.length === 1 && isPage ? 'index.html' : basename(path);
}

/**
 * Maps published names to paths. Ignores duplicates.
 *
 * @throws ClientError when two files have the same name. Names that differ only in case count as the same.
 */
export function namesOf(paths: readonly string[]): Map<string, string> {
  const once = [...new Set(paths)];
  const names = new Map<string, string>();
  const seen = new Set<string>();
  for (const path of once) {
    const name = publishedNameOf(once, path);
    const folded = name.normalize('NFC').toLowerCase();
    if (seen.has(folded))
      throw new ClientError(
        'folder',
        `Two of the files are named ${name}. Put them into a folder and drop the folder.`,
        {
          file: name,
        },
      );
    seen.add(folded);
    names.set(name, path);
  }
  return names;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it no longer exists',
  EACCES: 'you do not have permission to read it',
  EPERM: 'you do not have permission to read it',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
};

async function copy(path: string, to: string, signal: AbortSignal): Promise<void> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isFile()) throw new ClientError('folder', `${basename(path)}: it is no longer a file.`);
    await copyFile(real, to, constants.COPYFILE_FICLONE_FORCE).catch(() =>
      // Most disks cannot share bytes. Copy as a stream then, because it can be aborted.
      pipeline(createReadStream(real), createWriteStream(to, { mode: 0o600 }), { signal }),
    );
  } catch (thrown) {
    if (signal.aborted) throw aborted();
    if (thrown instanceof ClientError) throw thrown;
    const reason = REASONS[(thrown as NodeJS.ErrnoException).code ?? ''] ?? 'it cannot be copied';
    throw new ClientError('folder', `${basename(path)}: ${reason}.`, { file: basename(path), cause: thrown });
  }
}

function aborted(): ClientError {
  return new ClientError('aborted', 'Cancelled before it finished.');
}
