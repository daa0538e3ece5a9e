import { createHash, hash } from 'node:crypto';
import { FileRefusals, findPathConflict, isJunk } from '@berth/contract';
import { changingFileError, folderError, throwRefusals, unreadableError } from '../folder/folder-errors.ts';
import { readLargeFile, SMALL_FILE_BYTES } from '../folder/read-file.ts';
import { readSmallChecked } from '../folder/small-contents.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import { publishedPath } from '../folder/site-paths.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { FileInput } from './input.ts';

/** The files to publish, and access to their bytes. */
export interface Source {
  files: readonly FolderFile[];
  /**
   * Reads a file piece by piece. Throws before the last piece if the bytes do not match the hash of the file.
   *
   * @throws ClientError of the kind `folder` if the file has changed since it was hashed.
   */
  read(file: FolderFile): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Creates a source from a folder that was read. Source: security T3. */
export function folderSource({ files, root, diskNames }: ReadFolder): Source {
  return {
    files,
    read(file) {
      const location = `${root}/${diskNames.get(file.path) ?? file.path}`;
      return file.size > SMALL_FILE_BYTES ? readChecked(location, file) : [readSmallChecked(location, file)];
    },
  };
}

/**
 * Creates a source from files in memory. Skips junk.
 *
 * @throws ClientError of the kind `folder` that names the files with names that are invalid for a site and the files that must
 *   not be published, or the file whose path conflicts with the path of another file.
 */
export function memorySource(inputs: readonly FileInput[]): Source {
  const bytes = new Map<string, Uint8Array>();
  const refusals = new FileRefusals();
  const named = inputs.flatMap(({ path: name, content }) => {
    const path = publishedPath(name, refusals);
    return path === null || isJunk(path) ? [] : [{ path, content: Buffer.from(content) }];
  });
  throwRefusals(refusals);
  const files = named
    .map(({ path, content }) => {
      bytes.set(path, content);
      return { path, size: content.length, sha256: hash('sha256', content) };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const conflict = findPathConflict(files.map(({ path }) => path));
  if (conflict) throw folderError(conflict.second, conflict.reason);
  return { files, read: ({ path }) => [bytes.get(path)!] };
}

/** Reads a file and checks its bytes. Yields the last piece only after the check, so a changed file is never sent completely. */
async function* readChecked(location: string, { path, size, sha256 }: FolderFile): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let remainingBytes = size;
  let lastPiece: Uint8Array | null = null;
  try {
    for await (const piece of readLargeFile(location)) {
      remainingBytes -= piece.length;
      if (remainingBytes < 0) break;
      digest.update(piece);
      if (lastPiece) yield lastPiece;
      lastPiece = piece;
    }
  } catch (thrown) {
    throw unreadableError(path, thrown);
  }
  if (remainingBytes !== 0 || digest.digest('hex') !== sha256) throw changingFileError(path);
  if (lastPiece) yield lastPiece;
}
