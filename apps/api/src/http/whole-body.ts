import type { IncomingMessage } from 'node:http';
import { inFairTurn, ServiceError } from '@berth/core';

/** The beginning of a body that is processed at once. */
const SMALL_BYTES = 64 * 1024;

/** The error for a body that is too long. Source: api §2. */
export function bodyTooLarge(what: string, max: number): ServiceError {
  return new ServiceError('payload_too_large', `${what} must have at most ${max} bytes.`, {
    details: { limit: 'body', max },
  });
}

/**
 * Reads a short body into memory of its own, which grows as bytes arrive: a declared length reserves nothing.
 *
 * @param what What it is, at the beginning of a sentence: "The body".
 * @param onChunk Called with each chunk before it is buffered. Reading pauses until its promise resolves; an exception
 *   in it stops the reading.
 * @throws `payload_too_large` past `maxBytes`, as soon as that is known; `request_timeout` when the client left before
 *   the end of the body. The request can still be answered.
 */
export async function readWholeBody(
  req: IncomingMessage,
  maxBytes: number,
  what: string,
  onChunk: (chunk: Buffer) => Promise<void> | undefined = () => undefined,
): Promise<Buffer> {
  const declaredBytes = Number(req.headers['content-length'] ?? maxBytes);
  let body = new ArrayBuffer(0);
  let size = 0;
  try {
    // Does not destroy the request: that would close the connection before the client reads the answer.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw bodyTooLarge(what, maxBytes);
      await (size <= SMALL_BYTES ? onChunk(chunk) : inFairTurn(() => onChunk(chunk)));
      if (size > body.byteLength) body = body.transfer(Math.min(Math.max(size, body.byteLength * 2), declaredBytes));
      chunk.copy(new Uint8Array(body), size - chunk.length);
    }
  } catch (cause) {
    freeMemory(body);
    if (cause instanceof ServiceError) throw cause;
    const closed = `The connection closed before ${what[0]!.toLowerCase()}${what.slice(1)} was complete.`;
    throw new ServiceError('request_timeout', closed, { cause });
  }
  return Buffer.from(body, 0, size);
}

/** Frees bytes that are not needed any more at once. V8 would keep them until it collects garbage. */
export function freeMemory(bytes: ArrayBuffer): void {
  bytes.transfer(0);
}
