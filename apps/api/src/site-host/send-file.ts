import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { PackStore } from '@berth/core';
import { type HotContents, SMALL_CONTENT_BYTES } from '@berth/core/sites';
import { type ByteRange, judgeConditions, judgeRange, type Site, type StoredBytes } from '@berth/serving';
import type { ResponseHead } from '../http/response-head.ts';
import { type FileAnswer, formFor, notModifiedHead, partHead } from './file-answers.ts';
import { sendEmpty, uncachedHeaders } from './site-headers.ts';

export interface Contents {
  /** A cache of small contents. */
  hot: HotContents;
  packs: PackStore;
}

/**
 * Sends a file or a part of it in a form that the visitor accepts, or responds with 304, 412 or 416. Bytes in memory
 * are sent at once, without a promise. When the client leaves, all resources are released.
 *
 * @throws what the store throws. Nothing was sent then, or the connection is closed, so that the visitor does not
 *   mistake a partial file for a complete one. Source: serving S40, S41, S45 to S47, S49; RFC 9110 §13.2.2; security
 *   F11, T36.
 */
export function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  site: Site,
  answer: FileAnswer,
  contents: Contents,
): void | Promise<void> {
  const { method, headers } = req;
  const { identity } = answer;
  if (identity.head.status === 404) return sendBytes(req, res, identity, contents);

  const range =
    headers.range === undefined || method !== 'GET'
      ? null
      : judgeRange(
          // node:http joins the values of a repeated header, which gives no valid entity tag.
          { range: headers.range, ifRange: headers['if-range'] as string | undefined },
          { size: identity.content.length, etag: identity.etag },
        );
  const form = range === null ? formFor(answer, headers['accept-encoding'] as string | undefined) : identity;

  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch !== undefined || ifNoneMatch !== undefined) {
    const conditionStatus = judgeConditions({ ifMatch, ifNoneMatch }, form.etag);
    if (conditionStatus === 412) return sendEmpty(res, 412, uncachedHeaders(site));
    if (conditionStatus === 304) return void notModifiedHead(form).write(res).end();
  }
  if (range === null) return sendBytes(req, res, form, contents);
  if (range === 'unsatisfiable') {
    const contentRange = `bytes */${identity.content.length}`;
    return sendEmpty(res, 416, { ...uncachedHeaders(site), 'Content-Range': contentRange });
  }
  return sendBytes(req, res, { head: partHead(identity, range), content: identity.content, range }, contents);
}

interface BytesToSend {
  head: ResponseHead;
  content: StoredBytes;
  /** The part of the content to send. Default: the whole content. */
  range?: ByteRange;
}

function sendBytes(
  { method }: IncomingMessage,
  res: ServerResponse,
  sending: BytesToSend,
  { hot, packs }: Contents,
): void | Promise<void> {
  const { head, content } = sending;
  if (method === 'HEAD') return void head.write(res).end();
  if (content.length > SMALL_CONTENT_BYTES) return stream(res, packs, sending);
  const cached = hot.peek(content);
  if (cached) return sendBuffer(res, sending, cached);
  return hot.read(content).then((bytes) => sendBuffer(res, sending, bytes));
}

function sendBuffer(res: ServerResponse, { head, range }: BytesToSend, bytes: Buffer): void {
  head.write(res).end(range ? bytes.subarray(range.first, range.last + 1) : bytes);
}

/** Streams a content. Sends the head once the first bytes are available. */
async function stream(res: ServerResponse, packs: PackStore, { head, content, range }: BytesToSend): Promise<void> {
  const bytes = packs.stream(
    range
      ? { pack: content.pack, offset: content.offset + range.first, length: range.last - range.first + 1 }
      : content,
  );
  let clientLeft = res.destroyed;
  res.once('close', () => (clientLeft ||= bytes.errored === null));
  await once(bytes, 'readable');
  if (clientLeft) {
    bytes.destroy();
    return;
  }
  head.write(res);
  await pipeline(bytes, res).catch((error: unknown) => {
    if (!clientLeft) throw error;
  });
}
