import { contentHead } from '../folder/content-head.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import type { HashedFile } from './hash-files.ts';

/** Creates a function that makes the body of a request with contents. The browser reads the files while it sends the body. */
export function bodiesOf(files: readonly HashedFile[]): (contents: readonly FolderFile[]) => Blob {
  const blobs = new Map(files.map(({ sha256, blob }) => [sha256, blob]));
  return (contents) => new Blob(contents.flatMap((content) => [contentHead(content), blobs.get(content.sha256)!]));
}
