import { ClientError } from './errors.ts';

/** The maximum size of a response, in bytes. A list of 200,000 missing contents fits. */
export const MAX_RESPONSE_BYTES = 16 * 1024 ** 2;

/** The maximum size of an error body, in bytes. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** The maximum length of an event in a stream, in characters. */
export const MAX_EVENT_LENGTH = 64 * 1024;

/** A response is larger than a server has any reason to send. Reading it was stopped. */
export class ResponseTooLarge extends ClientError {
  constructor({ host }: URL, limit: string) {
    super('server', `The response of ${host} is too large: ${limit}. Check that it is a Berth server.`);
  }
}

/**
 * Returns the response with a body that fails with {@link ResponseTooLarge} after `maxBytes` bytes, counted after decompression.
 */
export function limitResponse(response: Response, server: URL, maxBytes: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ResponseTooLarge(server, `a response may have at most ${maxBytes.toLocaleString('en-US')} bytes`);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
