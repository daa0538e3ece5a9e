import type { FolderEvent } from './snapshot.ts';
import { type ReadFolder, readFolder, type ReadFolderOptions } from './read-folder.ts';
import { readSmallContents, type SmallFile } from './small-contents.ts';

/**
 * Reads the files of folders. A program whose thread must never wait for a disk passes an implementation that reads in other
 * threads.
 */
export interface FolderDisk {
  /** Reads a folder as {@link readFolder} does. */
  readFolder(folder: string, options: ReadFolderOptions): AsyncGenerator<FolderEvent, ReadFolder, undefined>;
  /**
   * Reads small files completely, and checks their hashes.
   *
   * @returns For each file its head, as in the body of an upload, and its bytes.
   * @throws ClientError of the kind `folder` if a file cannot be read or has changed; `aborted` if the caller aborts.
   */
  readSmallFiles(root: string, files: readonly SmallFile[], signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

/** Reads on the calling thread, which is the fastest way while the disk responds. */
export const THIS_THREAD: FolderDisk = {
  readFolder,
  readSmallFiles: async (root, files) => readSmallContents(root, files),
};
