import { CONTENT_HEAD_BYTES } from '@berth/contract';
import type { FolderFile } from '../folder/snapshot.ts';
import { piecesOf, type Source } from './source.ts';
import type { BodyProgress } from './upload-progress.ts';

const SHA256_BYTES = 32;

/** The maximum size of a body with several contents, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Divides contents into bodies, in order. Each has at most {@link MAX_BODY_BYTES}, or is a single larger content. */
export function divideIntoBodies(contents: readonly FolderFile[]): FolderFile[][] {
  const bodies: FolderFile[][] = [];
  let last: FolderFile[] = [];
  let room = -1;
  for (const content of contents) {
    const bytes = CONTENT_HEAD_BYTES + content.size;
    if (bytes > room) {
      last = [];
      bodies.push(last);
      room = MAX_BODY_BYTES;
    }
    last.push(content);
    room -= bytes;
  }
  return bodies;
}

/** Generates a body of contents, each one preceded by its header. Source: api §9. */
export async function* contentsBody(
  source: Source,
  contents: readonly FolderFile[],
  { onPiece, onFile }: BodyProgress,
): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    const bytes = source.read(content);
    yield headOf(content);
    for await (const piece of piecesOf(bytes)) {
      yield piece;
      onPiece(piece.length);
    }
    onFile();
  }
}

function headOf({ sha256, size }: FolderFile): Uint8Array {
  const head = Buffer.alloc(CONTENT_HEAD_BYTES);
  head.write(sha256, 'hex');
  head.writeBigUInt64BE(BigInt(size), SHA256_BYTES);
  return head;
}
