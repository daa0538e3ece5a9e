import { CONTENTS_TYPE, ReceivedContents } from '@berth/contract';
import { type BerthClient, readAnswer } from '../client.ts';
import type { FolderFile } from '../folder/snapshot.ts';
import { isPassing } from '../retry.ts';
import { sendBody } from './body.ts';
import { contentsBody, divide } from './contents-body.ts';
import type { Source } from './source.ts';
import type { UploadProgress } from './upload-progress.ts';

/** The number of bodies to send in parallel. */
const AT_ONCE = 2;

/**
 * Sends contents of an upload, in few bodies. The server keeps each content that arrived completely, even if this fails.
 *
 * After a temporary failure, no further body is started, but the running ones finish. Any other failure aborts the running
 * ones.
 *
 * @throws ClientError: the first failure, after all bodies have ended.
 * Source: contract §9.
 */
export async function sendContents(
  client: BerthClient,
  source: Source,
  upload: string,
  contents: readonly FolderFile[],
  progress: UploadProgress,
  given: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([given, failed.signal]);
  const bodies = divide(contents);
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
        await readAnswer(client, answer, ReceivedContents);
      } catch (failure) {
        failures.push(failure);
        if (!isPassing(failure)) failed.abort();
      }
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, sendInOrder));
  if (failures.length > 0) throw failures[0];
}
