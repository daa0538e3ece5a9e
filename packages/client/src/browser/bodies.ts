import { contentHead } from '../folder/content-head.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { HashedFile } from './hash-files.ts';

/** Creates a function that makes the body of a request with contents. The browser reads the files while it sends the body. */
export function bodiesOf(files: readonly HashedFile[]): (contents: readonly FolderFile[]) => Blob {
  const known = new Map(files.map(({ sha256, content }) => [sha256, content]));
  return (contents) => new Blob(contents.flatMap((file) => [contentHead(file), known.get(file.sha256)!]));
}
