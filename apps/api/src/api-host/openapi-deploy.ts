import {
  ANONYMOUS_TTL_SECONDS,
  BLOCKED_EXTENSIONS,
  Checksums,
  type CreatedDeployment,
  type DeployField,
  FILES_FIELD,
  IDEMPOTENCY_WINDOW_SECONDS,
  Labels,
  MAX_IDEMPOTENCY_KEY,
  Ttl,
} from '@berth/contract';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { errorRefs, headerRefs, RATE_LIMIT } from './openapi-answers.ts';

const MD5_OF_NOTHING = 'd41d8cd98f00b204e9800998ecf8427e';

/** What an anonymous deploy is answered with. */
const ANONYMOUS: CreatedDeployment = {
  deployment: 'calm-otter-4k9x2qd',
  url: 'https://calm-otter-4k9x2qd.sites.example',
  files: 12,
  size: 48_213,
  status: 'success',
  password: false,
  via: 'api',
  labels: [],
  created: 1_790_000_000,
  expires: 1_790_000_000 + ANONYMOUS_TTL_SECONDS,
  claim: 'https://berth.example/claim/0123456789abcdef0123456789abcdef',
};

function schemaOf(type: z.ZodType): oas31.SchemaObject {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'input' });
  return schema as oas31.SchemaObject;
}

/** A field of the form that holds JSON in a text. */
function jsonField(description: string, type: z.ZodType, example: unknown): oas31.SchemaObject {
  const schema = {
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: schemaOf(type),
    description,
    example: JSON.stringify(example),
  };
  return schema as oas31.SchemaObject;
}

const FIELDS: Record<DeployField, oas31.SchemaObject> = {
  checksums: jsonField(`JSON: one MD5 a file, 32 hex digits, in the order of \`${FILES_FIELD}\`.`, Checksums, [
    MD5_OF_NOTHING,
  ]),
  labels: jsonField('JSON: the labels of the deployment.', Labels, ['us-east-1']),
  password: {
    type: 'string',
    minLength: 6,
    maxLength: 128,
    format: 'password',
    description: 'Puts an unlock page in front of the site.',
  },
  via: {
    type: 'string',
    maxLength: 32,
    description: 'What made this deployment, such as `cli`; `api` when absent or malformed.',
    example: 'cli',
  },
  ttl: { ...schemaOf(Ttl), description: 'Seconds until the deployment expires. Needs a credential.' },
};

/**
 * `POST /deployments`, which is multipart and no procedure.
 *
 * Source: service-api part 4, 8; contract §3.
 */
export function deployOperation(baseUrl: string): oas31.OperationObject {
  return {
    operationId: 'deployments.create',
    summary: 'Publish files as a new deployment',
    description: [
      'Each file is a part of its own, and its filename is its path in the site, such as `docs/index.html`. The order of the fields is free. All or nothing: what is refused or aborted leaves nothing behind.',
      'Without a credential the deployment is public, follows the limits of the Free plan, and expires after three days unless it is claimed at the address in `claim`.',
      `\`\`\`sh\ncurl ${baseUrl}/deployments \\\n  -F 'files[]=@index.html' \\\n  -F "checksums=[\\"$(openssl md5 -r < index.html | cut -c1-32)\\"]"\n\`\`\``,
      `Programs and installers are refused (${BLOCKED_EXTENSIONS.slice(0, 4)
        .map((extension) => `\`.${extension}\``)
        .join(', ')} and more, see \`GET /limits\`), as are private keys, \`.env\` files and repositories.`,
    ].join('\n\n'),
    tags: ['Deployments'],
    security: [{}, { bearer: [] }],
    parameters: [
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: `Names this attempt. Within ${IDEMPOTENCY_WINDOW_SECONDS / 3600} hours the same key with the same files replays the first 201 and deploys nothing; with other files it is 422.`,
        schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY },
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
                description: 'The files. The filename of a part is the path of its file.',
              },
              ...FIELDS,
            },
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      201: {
        description: 'Published: the site is served from now on.',
        headers: headerRefs('Idempotency-Replay', ...RATE_LIMIT),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/CreatedDeployment' }, example: ANONYMOUS },
        },
      },
      ...errorRefs([400, 401, 403, 408, 413, 422, 429, 500, 503]),
    },
  };
}
