import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { type ContentsBody, invalid, payloadTooLarge, type ServiceError } from '@berth/core';
import { freeChunk } from './body-chunks.ts';

const HASH_BYTES = 32;

/**
 * Reads a body of contents and passes the contents on one at a time, no faster than they are consumed. Buffers only the
 * header of one content, and frees each chunk after it is consumed. Passes on all contents that arrive completely before an error.
 *
 * @throws `validation_failed` for a body that ends within a content; `payload_too_large` for more bytes than were
 *   requested; what the consumer of a content throws. Source: api §9; security T4.
 */
export async function readContents(
  chunks: AsyncIterable<Buffer>,
  into: Pick<ContentsBody, 'begin' | 'maxBytes'>,
): Promise<void> {
  const head = Buffer.alloc(CONTENT_HEAD_BYTES);
  let headBytes = 0;
  let bodyBytes = 0;
  let bytesLeft = 0;
  let sink: ReturnType<ContentsBody['begin']> | null = null;
  for await (const chunk of chunks) {
    bodyBytes += chunk.length;
    if (bodyBytes > into.maxBytes) throw contentsTooLarge(into.maxBytes);
    for (let at = 0; at < chunk.length;) {
      if (sink === null) {
        const copied = chunk.copy(head, headBytes, at);
        headBytes += copied;
        at += copied;
        if (headBytes < CONTENT_HEAD_BYTES) break;
        headBytes = 0;
        bytesLeft = Number(head.readBigUInt64BE(HASH_BYTES));
        sink = into.begin(head.toString('hex', 0, HASH_BYTES), bytesLeft);
      } else {
        const contentPart = chunk.subarray(at, at + bytesLeft);
        const drained = sink.write(contentPart);
        at += contentPart.length;
        bytesLeft -= contentPart.length;
        if (drained) await drained;
      }
      if (bytesLeft === 0) {
        sink.end();
        sink = null;
      }
    }
    freeChunk(chunk);
  }
  if (sink !== null || headBytes > 0) throw invalid('contents', 'the body ends in the middle of a content');
}

export function contentsTooLarge(maxBytes: number): ServiceError {
  const message = `The missing contents fit in ${maxBytes} bytes; the body must not have more.`;
  return payloadTooLarge('body', maxBytes, message);
}
