import { hash } from 'node:crypto';
import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { writeContentHead } from './content-head.ts';
import { changingFileError, readOrRefuse } from './folder-errors.ts';
import { fillFromFile } from './read-file.ts';
import type { FolderFile } from './snapshot.ts';

/** A small file of a snapshot, with its name on disk. */
export interface SmallFile extends FolderFile {
  name: string;
}

/** Reads a small file. @throws ClientError of the kind `folder` if it cannot be read, or its bytes do not match its hash. */
export function readSmallChecked(location: string, file: FolderFile): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(file.size);
  readChecked(location, file, bytes);
  return bytes;
}

/** Reads small files into one buffer, each after its `contentHead`. Blocks the calling thread. */
export function readSmallContents(root: string, files: readonly SmallFile[]): Uint8Array<ArrayBuffer> {
  const contents = new Uint8Array(files.reduce((sum, { size }) => sum + CONTENT_HEAD_BYTES + size, 0));
  const view = new DataView(contents.buffer);
  let at = 0;
  for (const file of files) {
    writeContentHead(view, at, file);
    at += CONTENT_HEAD_BYTES;
    readChecked(`${root}/${file.name}`, file, contents.subarray(at, at + file.size));
    at += file.size;
  }
  return contents;
}

function readChecked(location: string, { path, sha256 }: FolderFile, into: Uint8Array): void {
  const isWhole = readOrRefuse(path, () => fillFromFile(location, into));
  if (!isWhole || hash('sha256', into) !== sha256) throw changingFileError(path);
}
