import type { BerthClient } from '../client.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { sendBody } from './body.ts';
import { contentHead, type ContentsSender } from './send-contents.ts';
import type { Source } from './source.ts';
import type { UploadProgress } from './upload-progress.ts';

/** Creates a sender that streams bodies from a source. */
export function streamContents(client: BerthClient, source: Source): ContentsSender {
  return (path, init, contents, progress) =>
    sendBody(client, path, init, contentsBody(source, contents, progress), progress);
}

async function* contentsBody(
  source: Source,
  contents: readonly FolderFile[],
  progress: UploadProgress,
): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    const pieces = source.read(content);
    yield contentHead(content);
    for await (const piece of pieces) {
      yield piece;
      progress.onPiece(piece.length);
    }
    progress.onFile();
  }
}
