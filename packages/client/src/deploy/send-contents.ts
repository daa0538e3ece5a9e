import { CONTENT_HEAD_BYTES, CONTENTS_TYPE, ReceivedContents } from '@berth/contract';
import pLimit from 'p-limit';
import { type BerthClient, readResponse } from '../client.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { isTemporary } from '../retry.ts';
import type { UploadProgress } from './upload-progress.ts';

const MAX_PARALLEL_BODIES = 2;

/** The maximum size of a body with several contents, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Sends one request whose body consists of contents, each after its head. */
export type ContentsSender = (
  path: string,
  init: { method: string; headers: Record<string, string>; signal: AbortSignal },
  contents: readonly FolderFile[],
  progress: UploadProgress,
) => Promise<Response>;

/**
 * Sends contents of an upload, in few bodies. If a body fails, the server still keeps each content that arrived completely.
 *
 * After a temporary failure, no further body is started, but the running bodies finish. Any other failure aborts the running
 * bodies.
 *
 * @throws ClientError: the first failure, after all bodies have ended.
 * Source: api §9.
 */
export async function sendContents(
  client: BerthClient,
  sendBody: ContentsSender,
  upload: string,
  contents: readonly FolderFile[],
  progress: UploadProgress,
  callerSignal: AbortSignal,
): Promise<void> {
  const failureAbort = new AbortController();
  const signal = AbortSignal.any([callerSignal, failureAbort.signal]);
  const init = { method: 'PUT', headers: { 'Content-Type': CONTENTS_TYPE }, signal };
  const failures: unknown[] = [];
  await pLimit(MAX_PARALLEL_BODIES).map(divideIntoBodies(contents), async (body) => {
    if (failures.length > 0) return;
    try {
      const response = await sendBody(`uploads/${upload}/contents`, init, body, progress);
      await readResponse(client, response, ReceivedContents);
    } catch (failure) {
      failures.push(failure);
      if (!isTemporary(failure)) failureAbort.abort();
    }
  });
  if (failures.length > 0) throw failures[0];
}

/** Divides contents into bodies, in order. Each body has at most {@link MAX_BODY_BYTES}, or is a single larger content. */
export function divideIntoBodies(contents: readonly FolderFile[]): FolderFile[][] {
  const bodies: FolderFile[][] = [];
  let currentBody: FolderFile[] = [];
  let remainingBytes = -1;
  for (const content of contents) {
    const bytes = CONTENT_HEAD_BYTES + content.size;
    if (bytes > remainingBytes) {
      currentBody = [];
      bodies.push(currentBody);
      remainingBytes = MAX_BODY_BYTES;
    }
    currentBody.push(content);
    remainingBytes -= bytes;
  }
  return bodies;
}
