import type { IncomingMessage } from 'node:http';
import { inFairTurn, ServiceError } from '@berth/core';
import { freeMemory } from '../http/whole-body.ts';

/**
 * Yields the chunks of a body. Does not destroy the request, because the client still has to read the response. If the client
 * left, yields the bytes that have arrived.
 *
 * @param client Whose body it is; other clients are served between two chunks.
 * @throws `request_timeout` if the body ended early.
 */
export async function* chunksOf(req: IncomingMessage, client: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await inFairTurn(client, () => {});
      yield chunk;
    }
  } catch (cause) {
    // When the connection breaks, the iterator of a request drops the bytes that are already buffered.
    for (let chunk: Buffer | null; (chunk = req.read() as Buffer | null) !== null;) yield chunk;
    if (!req.complete) throw new ServiceError('request_timeout', 'The upload was interrupted.', { cause });
  }
}

/**
 * Frees the memory of a chunk of a body at once, unless it shares the memory with other buffers. The chunk is empty afterwards. V8 would keep
 * the memory until it collects garbage, and the next chunks would use new memory.
 */
export function freeChunk({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) freeMemory(buffer);
}
