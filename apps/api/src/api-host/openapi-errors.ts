import { type ErrorCode, PageQuery, TokenRequest } from '@berth/contract';
import { fileTooLarge, fromZodIssues, mayCall, notFound, type ServiceError } from '@berth/core';
import type { z } from 'zod';
import { bodyTooLarge } from '../http/whole-body.ts';
import { JSON_BODY } from './json-body.ts';

/** The facts that decide which errors an operation can answer with. */
export interface DocumentedOperation {
  /** Its name in the access table. */
  name: string;
  /** Whether clients send input in the path, the query or the body. */
  hasInput: boolean;
  hasBody: boolean;
  /** Why it answers with other statuses too, for people. */
  reasons?: Record<number, string> | undefined;
}

interface ErrorExample {
  error: ErrorCode;
  message: string;
  details?: object;
  /** The operations that can answer with this error. Default: all that can answer with the tag. */
  appliesTo?: (operation: DocumentedOperation) => boolean;
}

const isOneOf =
  (...names: string[]) =>
  ({ name }: DocumentedOperation) =>
    names.includes(name);
const isUpload = isOneOf('deployments.begin', 'deployments.contents', 'deployments.commit', 'deployments.abort');

/** An example: what the server sends for an error. */
function exampleOf({ code, message, details }: ServiceError): ErrorExample {
  return { error: code, message, ...(details ? { details } : {}) };
}

/** What the server sends for invalid input. */
function validationErrorOf(schema: z.ZodType, input: unknown): ServiceError {
  return fromZodIssues(schema.safeParse(input).error?.issues ?? []);
}

/** An error answer: its description, and examples by title. */
interface DocumentedError {
  description: string;
  examples: Record<string, ErrorExample>;
}

/** The errors that an operation can answer with. */
export type OperationError = Exclude<ErrorCode, 'method_not_allowed' | 'uri_too_long' | 'headers_too_large'>;

/**
 * The descriptions of every error answer. `other` is for requests that fail before their operation is known.
 *
 * Source: api §2.
 */
export const ERRORS: Record<OperationError | 'other', DocumentedError> = {
  validation_failed: {
    description: 'The input is not valid. `details.issues` lists the invalid fields, or `details.file` names the file.',
    examples: {
      'A query parameter that is not valid': {
        ...exampleOf(validationErrorOf(PageQuery, { limit: 0 })),
        appliesTo: ({ name }) => name.endsWith('.list'),
      },
      'A path that cannot be read': {
        error: 'validation_failed',
        message: 'The path must have valid percent-encoding.',
        appliesTo: ({ name, hasBody }) => !hasBody && !name.endsWith('.list'),
      },
      'A field that is not valid': {
        ...exampleOf(validationErrorOf(TokenRequest, { labels: ['ci'] })),
        appliesTo: ({ hasBody }) => hasBody,
      },
      'A file that is refused': {
        error: 'validation_failed',
        message: 'keys/id_rsa: private keys are never published',
        details: { file: 'keys/id_rsa' },
        appliesTo: isOneOf('deployments.create', 'deployments.begin'),
      },
      'A content with other bytes': {
        error: 'validation_failed',
        message: `index.html: the received bytes have the SHA-256 ${'1'.repeat(64)}, not ${'2'.repeat(64)} as announced`,
        details: { file: 'index.html' },
        appliesTo: isOneOf('deployments.contents'),
      },
      'A body that is not JSON': {
        error: 'validation_failed',
        message: 'The body must be valid JSON.',
        appliesTo: (operation) =>
          operation.hasBody && !isOneOf('deployments.create', 'deployments.contents')(operation),
      },
    },
  },
  authentication_failed: {
    description: 'The credential is missing or not valid: malformed, unknown, expired or revoked.',
    examples: {
      'No credential': {
        error: 'authentication_failed',
        message: 'This needs a credential: send "Authorization: Bearer <API key>".',
        appliesTo: ({ name }) => !mayCall(name, 'anonymous'),
      },
      'A credential that is not valid': {
        error: 'authentication_failed',
        message: 'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
      },
    },
  },
  forbidden: {
    description: 'Not permitted.',
    examples: {
      'A closed account': { error: 'forbidden', message: 'This account is suspended.' },
      'A deploy token without permission': {
        error: 'forbidden',
        message: 'A deploy token may deploy, read the limits and ping; use an API key for this.',
        appliesTo: ({ name }) => !mayCall(name, 'deploy'),
      },
      'A cap of the plan': {
        error: 'forbidden',
        message: 'The plan allows 100 deployments, and the account has 100. Delete one or change the plan.',
        details: { cap: 'deployments', used: 100, limit: 100 },
        appliesTo: ({ name, reasons }) =>
          reasons?.[403] !== undefined &&
          !isOneOf('deployments.contents', 'deployments.abort')({ name } as DocumentedOperation),
      },
      'The storage of the plan': {
        error: 'forbidden',
        message:
          'Storage is limited to 2147483648 bytes: 2147000000 are in use, and this adds 734003. Delete deployments that are no longer needed, or change the plan.',
        details: { cap: 'storage', used: 2_147_000_000, limit: 2_147_483_648 },
        appliesTo: isOneOf('deployments.create', 'deployments.begin', 'deployments.commit', 'account.claim'),
      },
    },
  },
  not_found: {
    description: 'There is no such resource, or it belongs to another account; the response is the same for both.',
    examples: {
      'A deployment': {
        ...exampleOf(notFound('deployment')),
        appliesTo: (operation) =>
          (operation.name.startsWith('deployments.') && !isUpload(operation)) ||
          isOneOf('domains.put', 'deployments.begin')(operation),
      },
      'An upload': {
        ...exampleOf(notFound('upload')),
        appliesTo: isOneOf('deployments.contents', 'deployments.commit', 'deployments.abort'),
      },
      'A domain': {
        ...exampleOf(notFound('domain')),
        appliesTo: ({ name }) => name.startsWith('domains.') && name !== 'domains.put',
      },
      'A token': {
        ...exampleOf(notFound('token')),
        appliesTo: ({ name }) => name.startsWith('tokens.'),
      },
      'A claim': { ...exampleOf(notFound('claim')), appliesTo: isOneOf('account.claim') },
    },
  },
  request_timeout: {
    description: 'The body did not arrive in time.',
    examples: { 'A slow body': { error: 'request_timeout', message: 'The body did not arrive in time.' } },
  },
  payload_too_large: {
    description: 'The body is larger than 1 MiB.',
    examples: {
      'A body': exampleOf(bodyTooLarge('The body', JSON_BODY.maxBytes)),
      'A file of an upload': {
        ...exampleOf(fileTooLarge('video.mp4', 20_971_520)),
        appliesTo: isOneOf('deployments.create', 'deployments.begin'),
      },
    },
  },
  business_logic_error: {
    description: 'The state of the resource does not allow the operation.',
    examples: {
      'A deployment that a domain points at': {
        error: 'business_logic_error',
        message:
          'Domains still point at this deployment: my-site.sites.example. Link them to another deployment or delete them first.',
        details: { domains: ['my-site.sites.example'] },
        appliesTo: isOneOf('deployments.delete'),
      },
      'A deployment that is being deleted': {
        error: 'business_logic_error',
        message: 'This deployment is being deleted and cannot be changed.',
        details: { status: 'deleting' },
        appliesTo: isOneOf('deployments.update'),
      },
      'A deployment that expires': {
        error: 'business_logic_error',
        message: 'This deployment expires; link the domain to one that stays.',
        details: { expires: 1_790_259_200 },
        appliesTo: isOneOf('domains.put'),
      },
      'A name of another account': {
        error: 'business_logic_error',
        message: 'domain: this name, or one above it, belongs to another account.',
        details: { domain: 'www.example.com' },
        appliesTo: isOneOf('domains.put'),
      },
      'Too many tokens': {
        error: 'business_logic_error',
        message: 'An account must have at most 1,000 tokens: revoke one first.',
        details: { state: 'too_many_tokens', limit: 1_000 },
        appliesTo: isOneOf('tokens.create'),
      },
      'A platform domain': {
        error: 'business_logic_error',
        message: 'A platform domain needs no DNS records: it serves at once.',
        details: { kind: 'platform' },
        appliesTo: ({ name }) => name.startsWith('domains.') && name !== 'domains.put',
      },
      'An Idempotency-Key that was used': {
        error: 'business_logic_error',
        message: 'This Idempotency-Key was used for another deploy; use a new key for new content.',
        details: { state: 'idempotency_key_used' },
        appliesTo: isOneOf('deployments.create', 'deployments.begin'),
      },
      'Contents that are missing': {
        error: 'business_logic_error',
        message: '3 contents of this upload have not been sent yet; send them, then commit again.',
        details: { state: 'incomplete', missing: 3 },
        appliesTo: isOneOf('deployments.commit'),
      },
      'An upload that was committed': {
        error: 'business_logic_error',
        message: 'This upload was committed or dropped; it accepts no contents.',
        details: { state: 'over' },
        appliesTo: isOneOf('deployments.contents'),
      },
      'An upload that was already committed': {
        error: 'business_logic_error',
        message: 'This upload was committed; delete its deployment instead.',
        details: { state: 'committed' },
        appliesTo: isOneOf('deployments.abort'),
      },
      'A deployment that was taken down': {
        error: 'business_logic_error',
        message: 'This deployment was taken down by the operator; link the domain to another one.',
        details: { state: 'taken_down' },
        appliesTo: isOneOf('domains.put'),
      },
      'A base that was taken down': {
        error: 'business_logic_error',
        message: 'This deployment was taken down by the operator; it cannot be a base. Begin with every file instead.',
        details: { state: 'taken_down' },
        appliesTo: isOneOf('deployments.begin'),
      },
      'A password from a deploy token for a protected base': {
        error: 'business_logic_error',
        message:
          'The base is protected by a password, which a deploy token cannot change; leave out password to keep it.',
        details: { state: 'base_protected' },
        appliesTo: isOneOf('deployments.begin'),
      },
    },
  },
  rate_limit_exceeded: {
    description: 'Too many requests. Try again after `Retry-After` seconds.',
    examples: {
      'Too many requests': {
        error: 'rate_limit_exceeded',
        message: 'Too many requests: try again in 7 seconds.',
        details: { retryAfter: 7 },
      },
      'Too many open uploads': {
        error: 'rate_limit_exceeded',
        message: 'At most 20 uploads can be open at the same time: commit or abort one, or try again in 540 seconds.',
        details: { retryAfter: 540 },
        appliesTo: isOneOf('deployments.begin'),
      },
    },
  },
  internal_server_error: {
    description: 'The server failed; the operator can find the cause in the log by the request id.',
    examples: {
      'A fault': {
        error: 'internal_server_error',
        message: 'Something went wrong on our side.',
        details: { requestId: '0b7c2a9e-5d41-4f3a-9c1e-7a2f6b8d0e15' },
      },
    },
  },
  unavailable: {
    description: 'The service is not available right now. Try again after `Retry-After` seconds.',
    examples: {
      'Not now': {
        error: 'unavailable',
        message: 'The service is not available right now; try again shortly.',
      },
    },
  },
  other: {
    description:
      'Errors that occur before the operation is known: 400 for a request that is not valid HTTP, 405 for a method that the path does not support, 408 for headers that do not arrive in time, 414 for a URL of more than 8 KiB, 431 for headers of more than 16 KiB. The body is the same.',
    examples: {
      '400, not HTTP': { error: 'validation_failed', message: 'This is not a well-formed HTTP/1.1 request.' },
      '405, an unsupported method': {
        error: 'method_not_allowed',
        message: 'This path does not support PUT; use one of GET, HEAD, OPTIONS.',
      },
      '408, slow headers': { error: 'request_timeout', message: 'The head of the request did not arrive in time.' },
      '414, a long URL': { error: 'uri_too_long', message: 'The request target must have at most 8192 bytes.' },
      '431, large headers': {
        error: 'headers_too_large',
        message: 'Request line and headers must have at most 16384 bytes together.',
      },
    },
  },
};
