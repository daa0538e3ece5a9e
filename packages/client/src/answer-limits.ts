import { ClientError } from './errors.ts';

/** The longest answer that is read, in bytes: the contents of 200,000 files that the server lacks fit in. */
export const MAX_ANSWER_BYTES = 16 * 1024 ** 2;

/** The longest body of an error that is read, in bytes. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** The longest event of a stream that is read, in characters. */
export const MAX_EVENT_LENGTH = 64 * 1024;

/** The answer of a server is longer than any server has a reason to send. It is read no further. */
export class AnswerTooLarge extends ClientError {
  constructor({ host }: URL, what: string) {
    super('server', `The answer of ${host} is too large: ${what}. Check that it is a Berth server.`);
  }
}

/** The same answer, whose body fails with {@link AnswerTooLarge} when it exceeds a number of bytes after decompression. */
export function limitAnswer(response: Response, server: URL, maxBytes: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new AnswerTooLarge(server, `an answer has at most ${maxBytes.toLocaleString('en-US')} bytes`);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
