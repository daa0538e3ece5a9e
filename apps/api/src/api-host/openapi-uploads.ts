import { hash } from 'node:crypto';
import {
  BLOCKED_EXTENSIONS,
  CONTENT_HEAD_BYTES,
  CONTENTS_TYPE,
  DEPLOY_FIELDS,
  type DeployField,
  DeployOptions,
  FILES_FIELD,
  IDEMPOTENCY_WINDOW_SECONDS,
  MAX_IDEMPOTENCY_KEY,
  MAX_LABELS,
} from '@berth/contract';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { NOT_IN_QUERY, PASSWORD_HEADER } from './archives/archive-options.ts';
import type { DescribedOperation } from './openapi-parts.ts';
import { schemaRef } from './openapi-schemas.ts';

const EXAMPLE_PAGE = '<!doctype html><title>Hello</title>';
const EXAMPLE_CHECKSUMS = JSON.stringify([hash('md5', EXAMPLE_PAGE)]);
const BLOCKED_EXAMPLES = Array.from(BLOCKED_EXTENSIONS.slice(0, 4), (extension) => `\`.${extension}\``).join(', ');
const KEY_WINDOW = `${IDEMPOTENCY_WINDOW_SECONDS / 3600} hours`;

/** Describes the header that makes a retry safe. @param effect Says what happens if a key is sent again. */
export const keyParameter = (
  effect = 'the same key with the same input resumes the upload that the first request began',
): oas31.ParameterObject => ({
  in: 'header',
  name: 'Idempotency-Key',
  description: `Identifies this attempt, so that it is safe to retry. For ${KEY_WINDOW}, ${effect}.`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY },
});

/** Describes a form field that contains a JSON array as text. */
const jsonField = (description: string, example: string): oas31.SchemaObject => ({
  type: 'string',
  pattern: String.raw`^\s*\[`,
  description,
  example,
});

const OPTIONS = z.toJSONSchema(DeployOptions, { io: 'input' }).properties as Record<
  keyof DeployOptions,
  oas31.SchemaObject
>;

const FIELDS: Record<DeployField, oas31.SchemaObject> = {
  ...OPTIONS,
  checksums: jsonField(
    `A JSON array of strings: the MD5 of each file as 32 hex digits, in the order of \`${FILES_FIELD}\`.`,
    EXAMPLE_CHECKSUMS,
  ),
  labels: jsonField(
    `A JSON array of strings: at most ${MAX_LABELS} labels, each 3 to 25 characters, lower-case letters and digits in groups joined by single \`.\`, \`_\` or \`-\`.`,
    '["us-east-1"]',
  ),
  password: { ...OPTIONS.password, minLength: 6, maxLength: 128, format: 'password' },
  via: { ...OPTIONS.via, example: 'cli' },
  ttl: { ...OPTIONS.ttl, example: 86_400 },
};

const flag = (name: string, byDefault: 0 | 1, description: string): oas31.ParameterObject => ({
  in: 'query',
  name,
  description: `For archives: ${description}`,
  schema: { type: 'integer', enum: [0, 1], default: byDefault },
});

/** The options of an archive, which cannot have form fields. Source: api §11. */
const ARCHIVE_PARAMETERS: oas31.ParameterObject[] = [
  {
    in: 'query',
    name: 'label',
    description: `For archives: a label of the deployment. May be repeated, up to ${MAX_LABELS} times.`,
    schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_LABELS },
  },
  ...DEPLOY_FIELDS.flatMap((name): oas31.ParameterObject[] =>
    NOT_IN_QUERY.has(name)
      ? []
      : [{ in: 'query', name, description: `For archives: the form field \`${name}\`.`, schema: FIELDS[name] }],
  ),
  flag('strip', 1, 'whether the one folder that contains all files is stripped.'),
  flag(
    'protected',
    0,
    `1 refuses the archive if \`${PASSWORD_HEADER}\` is missing, for example because a variable is empty.`,
  ),
  {
    in: 'header',
    name: PASSWORD_HEADER,
    description: 'For archives: the password of the site, in UTF-8.',
    schema: FIELDS.password,
  },
];

/** Describes an archive as a body. The example is a placeholder, because JSON cannot contain bytes. */
const archive = (description: string): oas31.MediaTypeObject => ({
  schema: { type: 'string', format: 'binary', description },
  example: `<the bytes of the archive>`,
});

/** The form of `POST /deployments`. Source: api §3. */
export const DeployForm: oas31.SchemaObject = {
  type: 'object',
  required: [FILES_FIELD, 'checksums'],
  properties: {
    [FILES_FIELD]: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', format: 'binary' },
      description: 'The files. The filename of each part is the path of the file.',
    },
    ...FIELDS,
  },
  additionalProperties: false,
};

/** Describes `POST /deployments`. Source: api §3, §11. */
const deploy = (baseUrl: string): DescribedOperation => ({
  name: 'deployments.create',
  openapi: {
    method: 'POST',
    path: '/deployments',
    summary: 'Publish files as a new deployment',
    tags: ['Deployments'],
    successDescription: 'Published: the site is now served.',
    description: [
      'Each file is one part, and the filename of the part is the path of the file in the site, such as `docs/index.html`. The fields can be in any order. A deploy is atomic: a refused or aborted one leaves nothing behind, and after a 201 the site is served.',
      'The body can also be an archive: tar, gzip or zstd of a tar, or zip. It needs no checksums; its options are query parameters, and the password is a header. One folder that contains all files is stripped, and links are left out with a warning.',
      'Without a credential the deployment is public, follows the limits of the Free plan, and expires after three days, unless an account claims it at the address in `claim`.',
      `\`\`\`sh\ncurl ${baseUrl}/deployments \\\n  -F 'files[]=@index.html' \\\n  -F "checksums=[\\"$(openssl md5 -r < index.html | cut -c1-32)\\"]"\n\`\`\``,
      `Programs and installers are refused (${BLOCKED_EXAMPLES} and more, see \`GET /limits\`), and so are private keys, \`.env\` files and repositories. \`warnings\` lists what was published but will not act as written.`,
    ].join('\n\n'),
    errorResponses: {
      400: 'If any file is invalid, nothing is published.',
      403: 'A cap of the plan is reached (deployments, storage or domains); the credential cannot use `domain`, `keep` or `open`; or the request has no credential, and sets `ttl` or comes from a page of another site.',
      413: 'The upload exceeds a limit of the plan. `details.limit` names the limit, and `details.file` the file that is too large.',
      422: 'The `Idempotency-Key` was already used with other files or fields; or `domain` belongs to another account, or was sent with `ttl`.',
      429: 'Deploys have an additional limit for each credential, and a stricter one for each address without a credential.',
    },
  },
  status: 201,
  parameters: [
    keyParameter('the same key with the same files and fields replays the first 201 and publishes nothing'),
    ...ARCHIVE_PARAMETERS,
  ],
  body: {
    required: true,
    // Many generators use only the first type. An archive needs neither checksums nor paths as the names of parts.
    content: {
      'application/zip': archive('A zip archive with stored and deflated files.'),
      'application/x-tar': archive('A tar archive; `Content-Encoding` may be gzip or zstd.'),
      'application/gzip': archive('A tar archive that is compressed with gzip.'),
      'application/zstd': archive('A tar archive that is compressed with zstd.'),
      'multipart/form-data': {
        schema: schemaRef('DeployForm'),
        example: { [FILES_FIELD]: [EXAMPLE_PAGE], checksums: EXAMPLE_CHECKSUMS, via: 'cli' },
      },
    },
  },
  headers: ['Idempotency-Replay'],
  answer: { 'application/json': { schema: schemaRef('CreatedDeployment') } },
});

/** Describes `PUT /uploads/{upload}/contents`. Source: api §9. */
const contents: DescribedOperation = {
  name: 'deployments.contents',
  openapi: {
    method: 'PUT',
    path: '/uploads/{upload}/contents',
    summary: 'Send the missing contents of an upload',
    tags: ['Uploads'],
    successDescription: 'The contents are stored.',
    description: [
      `Any number of contents in one body, one after the other. Each content is preceded by ${CONTENT_HEAD_BYTES} bytes: its SHA-256 (32 bytes) and its length (8 bytes, big-endian).`,
      'Every content that arrived completely is kept, even if the body ends early or a later content is refused. `POST /uploads` with the same `Idempotency-Key` lists the contents that are still missing. Several bodies can be sent at the same time.',
    ].join('\n\n'),
    errorResponses: {
      400: 'A content is not missing from the upload, or its length or SHA-256 differs from the announced one; `details.file` then names the file.',
      403: 'A page of another site sent the request without a credential.',
      408: 'The body did not arrive in time, or ended early.',
      413: 'The body is larger than all missing contents together.',
      422: 'The upload was committed.',
    },
  },
  status: 200,
  parameters: [
    {
      in: 'path',
      name: 'upload',
      required: true,
      description: 'The id of the upload, from `POST /uploads`.',
      schema: { type: 'string' },
      example: '0123456789abcdef0123456789abcdef',
    },
  ],
  body: {
    required: true,
    content: {
      [CONTENTS_TYPE]: {
        schema: { type: 'string', format: 'binary', description: 'The contents, each after its 40-byte header.' },
        example: '<32 bytes: SHA-256><8 bytes: length><the bytes><32 bytes: SHA-256>…',
      },
    },
  },
  answer: { 'application/json': { schema: schemaRef('ReceivedContents') } },
};

/** Describes `GET /deployments/{deployment}/archive`. Source: api §11. */
const download: DescribedOperation = {
  name: 'deployments.archive',
  openapi: {
    method: 'GET',
    path: '/deployments/{deployment}/archive',
    summary: 'Download the files of a deployment as an archive',
    tags: ['Deployments'],
    description: 'The archive can be published again with `POST /deployments`. Files of any size are streamed.',
    successDescription: 'The published files: a tar archive, or with `Accept: application/zip` a zip archive.',
    errorResponses: { 422: 'The deployment is being deleted.' },
  },
  status: 200,
  parameters: [
    {
      in: 'path',
      name: 'deployment',
      required: true,
      description: 'The id of the deployment, or its host name.',
      schema: { type: 'string' },
      example: 'calm-otter-4k9x2qd',
    },
  ],
  answer: {
    'application/x-tar': archive('The files in a tar archive, without a root folder.'),
    'application/zip': archive('The files in a zip archive, without a root folder.'),
  },
};

/** Describes the operations that receive or send files, which are not procedures. @param baseUrl The URL of the API. */
export const uploadOperations = (baseUrl: string): DescribedOperation[] => [deploy(baseUrl), contents, download];
