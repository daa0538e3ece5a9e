import { createHash, hash } from 'node:crypto';
import { findPathConflict, isJunk, normalizePath, refusedPath } from '@berth/contract';
import { changing, folderError, unreadable } from '../folder/folder-errors.ts';
import { readLargeFile, readSmallFile, SMALL_FILE_BYTES } from '../folder/read-file.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { FileInput } from './input.ts';

/** Files that are to be published, and their bytes. */
export interface Source {
  files: readonly FolderFile[];
  /**
   * Gives the bytes of a file, which are those that were hashed: all of them, or fewer and then an error.
   *
   * @throws ClientError of the kind `folder` when the file has changed since.
   */
  read(file: FolderFile): Uint8Array | AsyncIterable<Uint8Array>;
}

/** The bytes of a file, piece by piece. */
export function piecesOf(bytes: ReturnType<Source['read']>): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return bytes instanceof Uint8Array ? [bytes] : bytes;
}

/** The files of a folder that was read. Source: security T3. */
export function folderSource({ files, root, diskNames }: ReadFolder): Source {
  return {
    files,
    read(file) {
      const location = `${root}/${diskNames.get(file.path) ?? file.path}`;
      return file.size > SMALL_FILE_BYTES ? readChecked(location, file) : readSmallChecked(location, file);
    },
  };
}

/**
 * Files in memory. Junk is dropped.
 *
 * @throws ClientError of the kind `folder`, naming the file: a site can have no such name, it must not be published, or two
 *   cannot stand side by side.
 */
export function memorySource(inputs: readonly FileInput[]): Source {
  const bytes = new Map<string, Uint8Array>();
  const files = inputs
    .map(({ path, content }) => ({ path: pathOf(path), content: Buffer.from(content) }))
    .filter(({ path }) => !isJunk(path))
    .map(({ path, content }) => {
      bytes.set(path, content);
      return { path, size: content.length, sha256: hash('sha256', content) };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw folderError(conflict.second, conflict.reason);
  return { files, read: ({ path }) => bytes.get(path)! };
}

function pathOf(name: string): string {
  const read = normalizePath(name);
  if (!read.ok) throw folderError(name, read.reason);
  const refused = isJunk(read.path) ? null : refusedPath(read.path);
  if (refused) throw folderError(read.path, refused);
  return read.path;
}

function readSmallChecked(location: string, { path, size, sha256 }: FolderFile): Uint8Array {
  try {
    const { bytes } = readSmallFile(location, size);
    if (bytes.length === size && hash('sha256', bytes) === sha256) return bytes;
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
  throw changing(path);
}

/** The last piece is held back until all bytes are known to be right: wrong ones never arrive whole. */
async function* readChecked(location: string, { path, size, sha256 }: FolderFile): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let left = size;
  let held: Uint8Array | null = null;
  try {
    for await (const piece of readLargeFile(location)) {
      left -= piece.length;
      if (left < 0) break;
      digest.update(piece);
      if (held) yield held;
      held = piece;
    }
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
  if (left !== 0 || digest.digest('hex') !== sha256) throw changing(path);
  if (held) yield held;
}
