import { CONTENT_HEAD_BYTES } from '@berth/contract';
import { type ContentsBody, invalid, payloadTooLarge } from '@berth/core';

const HASH_BYTES = 32;

/**
 * Reads a body of contents and passes them on, one at a time, no faster than they are consumed. Only one header is
 * buffered in memory.
 *
 * @throws `validation_failed` for a body that ends within a content, `payload_too_large` for more contents than were
 *   requested, and whatever the consumer of a content throws. Contents that arrived completely before the error have
 *   been passed on. Source: api §9; security T4.
 */
export async function readContents(
  chunks: AsyncIterable<Buffer>,
  into: Pick<ContentsBody, 'begin' | 'maxBytes'>,
): Promise<void> {
  const head = Buffer.alloc(CONTENT_HEAD_BYTES);
  let headBytes = 0;
  let bodyBytes = 0;
  let left = 0;
  let sink: ReturnType<ContentsBody['begin']> | null = null;
  for await (const chunk of chunks) {
    bodyBytes += chunk.length;
    if (bodyBytes > into.maxBytes)
      throw payloadTooLarge(
        'body',
        into.maxBytes,
        `What is missing fits in ${into.maxBytes} bytes; the body has more.`,
      );
    for (let at = 0; at < chunk.length;) {
      if (sink === null) {
        const copied = chunk.copy(head, headBytes, at);
        headBytes += copied;
        at += copied;
        if (headBytes < CONTENT_HEAD_BYTES) break;
        headBytes = 0;
        left = Number(head.readBigUInt64BE(HASH_BYTES));
        sink = into.begin(head.toString('hex', 0, HASH_BYTES), left);
      } else {
        const part = chunk.subarray(at, at + left);
        const drained = sink.write(part);
        at += part.length;
        left -= part.length;
        if (drained) await drained;
      }
      if (left === 0) {
        sink.end();
        sink = null;
      }
    }
  }
  if (sink !== null || headBytes > 0) throw invalid('contents', 'the body ends in the middle of a content');
}
