import { CONTENT_HEAD_BYTES, CONTENTS_TYPE, ReceivedContents } from '@berth/contract';
import pLimit from 'p-limit';
import { type BerthClient, readResponse } from '../client.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { isTemporary } from '../retry.ts';
import { sendBody } from './body.ts';
import { piecesOf, type Source } from './source.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The number of bodies to send in parallel. */
const MAX_PARALLEL_BODIES = 2;

const SHA256_BYTES = 32;

/** The maximum size of a body with several contents, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Sends contents of an upload, in few bodies. The server keeps each content that arrived completely, even if this fails.
 *
 * After a temporary failure, no further body is started, but the running ones finish. Any other failure aborts the running
 * ones.
 *
 * @throws ClientError: the first failure, after all bodies have ended.
 * Source: api §9.
 */
export async function sendContents(
  client: BerthClient,
  source: Source,
  upload: string,
  contents: readonly FolderFile[],
  progress: UploadProgress,
  callerSignal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([callerSignal, failed.signal]);
  const init = { method: 'PUT', headers: { 'Content-Type': CONTENTS_TYPE }, signal };
  const failures: unknown[] = [];
  await pLimit(MAX_PARALLEL_BODIES).map(divideIntoBodies(contents), async (body) => {
    if (failures.length > 0) return;
    try {
      const pieces = contentsBody(source, body, progress);
      const answer = await sendBody(client, `uploads/${upload}/contents`, init, pieces, progress);
      await readResponse(client, answer, ReceivedContents);
    } catch (failure) {
      failures.push(failure);
      if (!isTemporary(failure)) failed.abort();
    }
  });
  if (failures.length > 0) throw failures[0];
}

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
async function* contentsBody(
  source: Source,
  contents: readonly FolderFile[],
  progress: UploadProgress,
): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    const bytes = source.read(content);
    yield headOf(content);
    for await (const piece of piecesOf(bytes)) {
      yield piece;
      progress.onPiece(piece.length);
    }
    progress.onFile();
  }
}

function headOf({ sha256, size }: FolderFile): Uint8Array {
  const head = Buffer.alloc(CONTENT_HEAD_BYTES);
  head.write(sha256, 'hex');
  head.writeBigUInt64BE(BigInt(size), SHA256_BYTES);
  return head;
}
