import { CONTENT_HEAD_BYTES, CONTENTS_TYPE, type ReceivedContents } from '@berth/contract';
import type { oas31 } from 'zod-openapi';
import { errorResponses, exampleFields, headerRefs, RATE_LIMIT } from './openapi-responses.ts';
import { UPLOAD } from './openapi-examples.ts';

const RECEIVED: ReceivedContents = { received: 1, missing: 0 };

const REASONS = {
  400: 'A content is not missing from the upload, or its length or SHA-256 differs from the announced one; `details.file` then names the file.',
  403: 'A page of another site sent the request without a credential.',
  408: 'The body did not arrive in time, or ended early.',
  413: 'The body is larger than all missing contents together.',
  422: 'The upload was committed.',
};

const DESCRIPTION = [
  `Any number of contents in one body, one after the other. Each content is preceded by ${CONTENT_HEAD_BYTES} bytes: its SHA-256 (32 bytes) and its length (8 bytes, big-endian).`,
  'Every content that arrived completely is kept, even if the body ends early or a later content is refused. `POST /uploads` with the same `Idempotency-Key` lists the contents that are still missing. Several bodies can be sent at the same time.',
].join('\n\n');

/**
 * `PUT /uploads/{upload}/contents`, whose body is a stream and not JSON. The caller adds who may call it.
 *
 * Source: api §9.
 */
export function contentsOperation(): Omit<oas31.OperationObject, 'security'> {
  return {
    operationId: 'deployments.contents',
    summary: 'Send the missing contents of an upload',
    description: DESCRIPTION,
    tags: ['Uploads'],
    parameters: [
      {
        in: 'path',
        name: 'upload',
        required: true,
        description: 'The id of the upload, from `POST /uploads`.',
        schema: { type: 'string' },
        example: UPLOAD,
      },
    ],
    requestBody: {
      required: true,
      content: {
        [CONTENTS_TYPE]: {
          schema: { type: 'string', format: 'binary', description: 'The contents, each after its 40-byte header.' },
          example: '<32 bytes: SHA-256><8 bytes: length><the bytes><32 bytes: SHA-256>…',
        },
      },
    },
    responses: {
      200: {
        description: 'The contents are stored.',
        headers: headerRefs(...RATE_LIMIT),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ReceivedContents' },
            ...exampleFields({ Example: RECEIVED }),
          },
        },
      },
      ...errorResponses({ name: 'deployments.contents', hasInput: true, hasBody: true, reasons: REASONS }),
    },
  };
}
