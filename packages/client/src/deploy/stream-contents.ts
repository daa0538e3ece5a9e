import type { BerthClient } from '../client.ts';
import type { FolderDisk } from '../folder/disk.ts';
import type { SmallFile } from '../folder/small-contents.ts';
import { SMALL_FILE_BYTES } from '../folder/read-file.ts';
import type { ReadFolder } from '../folder/read-folder.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { sendBody } from './body.ts';
import { contentHead } from '../folder/content-head.ts';
import type { ContentsSender } from './send-contents.ts';
import type { Source } from './source.ts';
import type { UploadProgress } from './upload-progress.ts';

/** How many bytes of small files are read at once, at most. A single file may be larger. */
const BATCH_BYTES = 512 * 1024;

/** Creates a sender that streams bodies from a source. */
export function streamContents(client: BerthClient, source: Source): ContentsSender {
  return (path, init, contents, progress) =>
    sendBody(client, path, init, contentsBody(source, contents, progress), progress);
}

/** Creates a sender that streams bodies from a folder, whose small files the disk reads in batches. */
export function streamFolder(
  client: BerthClient,
  source: Source,
  { root, diskNames }: ReadFolder,
  disk: FolderDisk,
): ContentsSender {
  const nameOf = (path: string) => diskNames.get(path) ?? path;
  return (path, init, contents, progress) => {
    const read = (batch: readonly FolderFile[]) => {
      const files = batch.map((file): SmallFile => ({ ...file, name: nameOf(file.path) }));
      const bytes = disk.readSmallFiles(root, files, init.signal);
      // The batch is read ahead, so nothing may handle its error yet.
      bytes.catch(() => {});
      return bytes;
    };
    return sendBody(client, path, init, folderBody(source, contents, progress, read), progress);
  };
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

async function* folderBody(
  source: Source,
  contents: readonly FolderFile[],
  progress: UploadProgress,
  read: (batch: readonly FolderFile[]) => Promise<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array> {
  const batches = divideIntoBatches(contents);
  let ahead = batches[0]?.isSmall === true ? read(batches[0].files) : null;
  for (const [i, { files, isSmall }] of batches.entries()) {
    const current = ahead;
    const next = batches[i + 1];
    ahead = next?.isSmall === true ? read(next.files) : null;
    if (!isSmall) yield* contentsBody(source, files, progress);
    else {
      yield (await current)!;
      for (const { size } of files) {
        progress.onPiece(size);
        progress.onFile();
      }
    }
  }
}

/** Divides files, in order, into batches of small files and single large files. */
function divideIntoBatches(files: readonly FolderFile[]): { files: FolderFile[]; isSmall: boolean }[] {
  const batches: { files: FolderFile[]; isSmall: boolean }[] = [];
  let remainingBytes = 0;
  for (const file of files) {
    const isSmall = file.size <= SMALL_FILE_BYTES;
    const last = batches.at(-1);
    if (isSmall && last?.isSmall === true && file.size <= remainingBytes) last.files.push(file);
    else {
      batches.push({ files: [file], isSmall });
      remainingBytes = BATCH_BYTES;
    }
    remainingBytes -= file.size;
  }
  return batches;
}
