import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@berth/core';

/** Creates the error for a body that is too long. Source: api §2. */
export function bodyTooLarge(what: string, max: number): ServiceError {
  return new ServiceError('payload_too_large', `${what} must have at most ${max} bytes.`, {
    details: { limit: 'body', max },
  });
}

/**
 * Reads a short body into a separate buffer, which grows as bytes arrive: a declared length reserves no memory.
 *
 * @param what Names the body at the beginning of a message: "The body".
 * @param onChunk Called with each chunk, and the size of the body so far, before the chunk is buffered. Reading pauses until its promise resolves, and stops if
 *   `onChunk` throws.
 * @throws `payload_too_large` as soon as the body exceeds `maxBytes`; `request_timeout` when the client left before the
 *   end of the body. A response can still be sent.
 */
export async function readWholeBody(
  req: IncomingMessage,
  maxBytes: number,
  what: string,
  onChunk: (chunk: Buffer, size: number) => Promise<void> | undefined = () => undefined,
): Promise<Buffer> {
  const declaredBytes = Number(req.headers['content-length'] ?? maxBytes);
  let body = new ArrayBuffer(0);
  let size = 0;
  try {
    // Destroying the request would close the connection before the client can read the response.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw bodyTooLarge(what, maxBytes);
      await onChunk(chunk, size);
      if (size > body.byteLength) body = body.transfer(Math.min(Math.max(size, body.byteLength * 2), declaredBytes));
      chunk.copy(new Uint8Array(body), size - chunk.length);
    }
  } catch (cause) {
    freeMemory(body);
    if (cause instanceof ServiceError) throw cause;
    const closedMessage = `The connection closed before ${what[0]!.toLowerCase()}${what.slice(1)} was complete.`;
    throw new ServiceError('request_timeout', closedMessage, { cause });
  }
  return Buffer.from(body, 0, size);
}

/** Frees memory at once, which V8 would keep until it collects garbage. */
export function freeMemory(bytes: ArrayBuffer): void {
  bytes.transfer(0);
}
