import { hash } from 'node:crypto';
import {
  ANONYMOUS_TTL_SECONDS,
  BLOCKED_EXTENSIONS,
  type CreatedDeployment,
  type DeployField,
  FILES_FIELD,
  IDEMPOTENCY_WINDOW_SECONDS,
  MAX_IDEMPOTENCY_KEY,
  MAX_LABELS,
  Ttl,
} from '@berth/contract';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { errorResponses, exampleFields, headerRefs, RATE_LIMIT } from './openapi-responses.ts';
import { DEPLOYMENT } from './openapi-examples.ts';

const PAGE = '<!doctype html><title>Hello</title>';
const CHECKSUMS = JSON.stringify([hash('md5', PAGE)]);

const CREATED_EXAMPLES: Record<string, CreatedDeployment> = {
  'With a credential': { ...DEPLOYMENT, files: 1, size: PAGE.length },
  Anonymous: {
    ...DEPLOYMENT,
    files: 1,
    size: PAGE.length,
    via: 'api',
    labels: [],
    expires: DEPLOYMENT.created + ANONYMOUS_TTL_SECONDS,
    claim: 'https://berth.example/claim/0123456789abcdef0123456789abcdef',
  },
};

const REASONS = {
  400: 'Nothing is published, whichever file is invalid.',
  403: 'A cap of the plan is reached (deployments or storage); or the request has no credential, and sets `ttl` or comes from a page of another site.',
  413: 'The upload exceeds a limit of the plan. `details.limit` names the limit, and `details.file` the file that is too large.',
  422: 'The `Idempotency-Key` was already used with other files or fields.',
  429: 'Deploys have an additional limit: by credential, or a stricter one by address without a credential.',
};

/** The header that makes a retry safe. */
export const KEY_PARAMETER: oas31.ParameterObject = {
  in: 'header',
  name: 'Idempotency-Key',
  description: `Identifies this attempt, so that it is safe to retry. For ${IDEMPOTENCY_WINDOW_SECONDS / 3600} hours, the same key with the same input resumes the upload that the first request began.`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY },
};

function schemaOf(type: z.ZodType): oas31.SchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
  return schema as oas31.SchemaObject;
}

/** A field of the form that contains a JSON array as text. */
const jsonField = (description: string, example: string): oas31.SchemaObject => ({
  type: 'string',
  pattern: String.raw`^\s*\[`,
  description,
  example,
});

const FIELDS: Record<DeployField, oas31.SchemaObject> = {
  checksums: jsonField(
    `A JSON array of strings: the MD5 of each file as 32 hex digits, in the order of \`${FILES_FIELD}\`.`,
    CHECKSUMS,
  ),
  labels: jsonField(
    `A JSON array of strings: at most ${MAX_LABELS} labels, each 3 to 25 characters, lower-case letters and digits in groups joined by single \`.\`, \`_\` or \`-\`.`,
    '["us-east-1"]',
  ),
  password: {
    type: 'string',
    minLength: 6,
    maxLength: 128,
    format: 'password',
    description: 'Protects the site: visitors must enter this password. The API never returns it.',
  },
  via: {
    type: 'string',
    description:
      'The tool that made this deployment: at most 32 characters of `a-z0-9._-`. `api` if absent or malformed.',
    example: 'cli',
  },
  ttl: { ...schemaOf(Ttl), description: 'Seconds until the deployment expires. Needs a credential.', example: 86_400 },
};

const describe = (baseUrl: string) =>
  [
    'Each file is one part, and the filename of the part is the path of the file in the site, such as `docs/index.html`. The fields can be in any order. A deploy is atomic: a refused or aborted one leaves nothing behind, and after a 201 the site is served.',
    'Without a credential the deployment is public, follows the limits of the Free plan, and expires after three days, unless an account claims it at the address in `claim`.',
    `\`\`\`sh\ncurl ${baseUrl}/deployments \\\n  -F 'files[]=@index.html' \\\n  -F "checksums=[\\"$(openssl md5 -r < index.html | cut -c1-32)\\"]"\n\`\`\``,
    `Programs and installers are refused (${BLOCKED_EXTENSIONS.slice(0, 4)
      .map((extension) => `\`.${extension}\``)
      .join(
        ', ',
      )} and more, see \`GET /limits\`), and so are private keys, \`.env\` files and repositories. \`warnings\` lists what was published but will not act as written.`,
  ].join('\n\n');

/**
 * `POST /deployments`, which is multipart and not a procedure. The caller adds who may call it.
 *
 * Source: api §3.
 */
export function deployOperation(baseUrl: string): Omit<oas31.OperationObject, 'security'> {
  return {
    operationId: 'deployments.create',
    summary: 'Publish files as a new deployment',
    description: describe(baseUrl),
    tags: ['Deployments'],
    parameters: [
      {
        ...KEY_PARAMETER,
        description: `Identifies this attempt, so that it is safe to retry. For ${IDEMPOTENCY_WINDOW_SECONDS / 3600} hours, the same key with the same files and fields replays the first 201 and publishes nothing.`,
      },
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: [FILES_FIELD, 'checksums'],
            properties: {
              [FILES_FIELD]: {
                type: 'array',
                minItems: 1,
                items: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
                description: 'The files. The filename of each part is the path of the file.',
              },
              ...FIELDS,
            },
            additionalProperties: false,
          },
          example: { [FILES_FIELD]: [PAGE], checksums: CHECKSUMS, via: 'cli' },
        },
      },
    },
    responses: {
      201: {
        description: 'Published: the site is now served.',
        headers: headerRefs('Idempotency-Replay', ...RATE_LIMIT),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/CreatedDeployment' },
            ...exampleFields(CREATED_EXAMPLES),
          },
        },
      },
      ...errorResponses({ name: 'deployments.create', hasInput: true, hasBody: true, reasons: REASONS }),
    },
  };
}
