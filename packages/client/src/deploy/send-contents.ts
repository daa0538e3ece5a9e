import { CONTENTS_TYPE, ReceivedContents } from '@berth/contract';
import { type BerthClient, readResponse } from '../client.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { isTemporary } from '../retry.ts';
import { sendBody } from './body.ts';
import { contentsBody, divideIntoBodies } from './contents-body.ts';
import type { Source } from './source.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The number of bodies to send in parallel. */
const MAX_PARALLEL_BODIES = 2;

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
  const bodies = divideIntoBodies(contents);
  const failures: unknown[] = [];

  async function sendInOrder(): Promise<void> {
    for (let body: FolderFile[] | undefined; failures.length === 0 && (body = bodies.shift());) {
      try {
        const answer = await sendBody(
          client,
          `uploads/${upload}/contents`,
          { method: 'PUT', headers: { 'Content-Type': CONTENTS_TYPE }, signal },
          contentsBody(source, body, progress),
          progress.onBytes,
        );
        await readResponse(client, answer, ReceivedContents);
      } catch (failure) {
        failures.push(failure);
        if (!isTemporary(failure)) failed.abort();
      }
    }
  }

  await Promise.all(Array.from({ length: MAX_PARALLEL_BODIES }, sendInOrder));
  if (failures.length > 0) throw failures[0];
}
