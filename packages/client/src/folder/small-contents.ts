import { hash } from 'node:crypto';
import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { contentHead } from './content-head.ts';
import { changingFileError, readOrRefuse } from './folder-errors.ts';
import { readSmallFile } from './read-file.ts';
import type { FolderFile } from './snapshot.ts';

/** A small file of a snapshot, with its name on disk. */
export interface SmallFile extends FolderFile {
  name: string;
}

/** Reads a small file. The next call overwrites the bytes. @throws ClientError of the kind `folder` if it cannot be read, or its bytes do not match its hash. */
export function readSmallChecked(location: string, { path, size, sha256 }: FolderFile): Buffer {
  const { bytes } = readOrRefuse(path, () => readSmallFile(location, size));
  if (bytes.length !== size || hash('sha256', bytes) !== sha256) throw changingFileError(path);
  return bytes;
}

/** Reads small files into one buffer, each after its {@link contentHead}. Blocks the calling thread. */
export function readSmallContents(root: string, files: readonly SmallFile[]): Uint8Array<ArrayBuffer> {
  const contents = new Uint8Array(files.reduce((sum, { size }) => sum + CONTENT_HEAD_BYTES + size, 0));
  let at = 0;
  for (const file of files) {
    contents.set(contentHead(file), at);
    contents.set(readSmallChecked(`${root}/${file.name}`, file), at + CONTENT_HEAD_BYTES);
    at += CONTENT_HEAD_BYTES + file.size;
  }
  return contents;
}
