import { CONTENT_HEAD_BYTES, CONTENTS_TYPE, type ReceivedContents } from '@berth/contract';
import type { oas31 } from 'zod-openapi';
import { errorAnswers, exampleFields, headerRefs, RATE_LIMIT } from './openapi-answers.ts';
import { UPLOAD } from './openapi-examples.ts';

const RECEIVED: ReceivedContents = { received: 1, missing: 0 };

const REASONS = {
  400: 'A content was not asked for, has another length than was announced, or is not what its SHA-256 says; `details.file` names the file then.',
  403: 'The request has no credential and comes from a page of another site.',
  408: 'The body did not arrive in time, or was broken off.',
  413: 'The body is larger than everything that was asked for.',
  422: 'The upload was committed.',
};

const DESCRIPTION = [
  `Any number of contents in one body, one behind the other. Before each stand ${CONTENT_HEAD_BYTES} bytes: its SHA-256, 32 bytes, and its length, 8 bytes, the most significant first.`,
  'Every content that arrived whole is kept, whatever becomes of the rest: when the body breaks off, or holds one that is refused. `POST /uploads` with the same `Idempotency-Key` tells what is still missing. Several bodies may be sent at the same time.',
].join('\n\n');

/**
 * `PUT /uploads/{upload}/contents`, whose body is a stream and not JSON. The caller adds who may call it.
 *
 * Source: contract §9.
 */
export function contentsOperation(): Omit<oas31.OperationObject, 'security'> {
  return {
    operationId: 'deployments.contents',
    summary: 'Send contents that an upload waits for',
    description: DESCRIPTION,
    tags: ['Uploads'],
    parameters: [
      {
        in: 'path',
        name: 'upload',
        required: true,
        description: 'The name that began the upload.',
        schema: { type: 'string' },
        example: UPLOAD,
      },
    ],
    requestBody: {
      required: true,
      content: {
        [CONTENTS_TYPE]: {
          schema: { type: 'string', format: 'binary', description: 'The contents, each behind its head.' },
          example: '<32 bytes: SHA-256><8 bytes: length><the bytes><32 bytes: SHA-256>…',
        },
      },
    },
    responses: {
      200: {
        description: 'They are stored.',
        headers: headerRefs(...RATE_LIMIT),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ReceivedContents' },
            ...exampleFields({ Example: RECEIVED }),
          },
        },
      },
      ...errorAnswers({ name: 'deployments.contents', hasInput: true, hasBody: true, reasons: REASONS }),
    },
  };
}
