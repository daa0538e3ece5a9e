import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@berth/core';

/** The longest body of a form, in bytes: one short field, and room for what a browser adds. */
const MAX_BYTES = 4_096;

const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/**
 * Reads the fields of an HTML form.
 *
 * @throws `validation_failed` for another media type; `payload_too_large`; `request_timeout` when the client left.
 */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new ServiceError('validation_failed', 'The body has to be a form: "application/x-www-form-urlencoded".');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // To destroy the request would cut the connection before the refusal is read.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES)
        throw new ServiceError('payload_too_large', `The form may have at most ${MAX_BYTES} bytes.`, {
          details: { limit: 'body', max: MAX_BYTES },
        });
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('request_timeout', 'The connection closed before the form was complete.', { cause });
  }
  return new URLSearchParams(Buffer.concat(chunks, size).toString());
}
