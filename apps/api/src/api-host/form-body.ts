import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@berth/core';
import { readWholeBody } from '../http/whole-body.ts';

/** Maximum size of a form in bytes: a few short fields, and what a browser may add. */
const MAX_FORM_BYTES = 4_096;
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/**
 * Reads the fields of an HTML form, or of a request of OAuth.
 *
 * @throws `validation_failed` for another media type; `payload_too_large`; `request_timeout` when the client left.
 */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new ServiceError('validation_failed', 'The body must be a form: "application/x-www-form-urlencoded".');
  return new URLSearchParams((await readWholeBody(req, MAX_FORM_BYTES, 'The form')).toString());
}
