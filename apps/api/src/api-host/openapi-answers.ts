import { ERROR_STATUS, type ErrorCode } from '@berth/contract';
import type { oas31 } from 'zod-openapi';
import { JSON_BODY } from './json-body.ts';

interface ErrorExample {
  description: string;
  message: string;
  details?: object;
}

const ERRORS: Record<ErrorCode, ErrorExample> = {
  validation_failed: {
    description: 'The input is not valid.',
    message: 'limit: limit is a whole number of at least 1',
    details: { issues: [{ path: 'limit', message: 'limit is a whole number of at least 1' }] },
  },
  authentication_failed: {
    description: 'The credential is missing, or opens nothing.',
    message: 'The credential is not valid: send "Authorization: Bearer <API key or deploy token>".',
  },
  forbidden: {
    description: 'Not permitted: the account is closed, the credential may not do this, or the plan holds no more.',
    message: 'The plan holds 100 deployments, and the account has 100. Delete one, or change the plan.',
    details: { cap: 'deployments', used: 100, limit: 100 },
  },
  not_found: {
    description: 'There is no such resource, or it belongs to another account.',
    message: 'There is no such deployment.',
  },
  method_not_allowed: {
    description: 'The address does not know this method.',
    message: 'PUT is not possible here; use one of GET, HEAD, OPTIONS.',
  },
  request_timeout: { description: 'The request did not arrive in time.', message: 'The body did not arrive in time.' },
  payload_too_large: {
    description: 'The body or the bundle is larger than allowed; `details.limit` names the limit that was crossed.',
    message: `The body may have at most ${JSON_BODY.maxBytes} bytes.`,
    details: { limit: 'body', max: JSON_BODY.maxBytes },
  },
  uri_too_long: { description: 'The address is too long.', message: 'The address is too long.' },
  business_logic_error: {
    description: 'The state of the resource does not allow the operation.',
    message: 'A domain points at this deployment: my-site.sites.example.',
    details: { domains: ['my-site.sites.example'] },
  },
  rate_limit_exceeded: {
    description: 'Too many requests; try again after `Retry-After` seconds.',
    message: 'Too many requests: try again in 7 seconds.',
    details: { retryAfter: 7 },
  },
  headers_too_large: { description: 'The headers are too large.', message: 'The headers are too large.' },
  internal_server_error: {
    description: 'Something went wrong on our side; the request id helps to find out what.',
    message: 'Something went wrong on our side.',
    details: { requestId: '0b7c2a9e5d41' },
  },
  unavailable: {
    description: 'The service is not available right now; try again after `Retry-After` seconds.',
    message: 'The service is not available right now; try again shortly.',
  },
};

const text = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: 'string' },
  example,
});
const seconds = (description: string, example: number): oas31.HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The headers of answers, as `components.headers` holds them. Source: contract §1, §2, §3, §7. */
export const HEADERS = {
  'X-Request-Id': text('Names this request in the log of the service.', '0b7c2a9e5d41'),
  'RateLimit-Limit': seconds('Requests in a window.', 600),
  'RateLimit-Remaining': seconds('Requests left in this window.', 599),
  'RateLimit-Reset': seconds('Seconds until the window is full again.', 1),
  'Retry-After': seconds('Seconds to wait before the next try.', 7),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
  'Idempotency-Replay': text(
    '`true` when this is the stored answer of an earlier request with the same `Idempotency-Key`.',
    'true',
  ),
  Location: text('Where it is found.', '/limits'),
} satisfies oas31.HeadersObject;

export type HeaderName = keyof typeof HEADERS;

/** References to `components.headers`: what every answer carries, and the headers named. */
export function headerRefs(...names: HeaderName[]): oas31.HeadersObject {
  const all: HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of a rate limit. */
export const RATE_LIMIT: HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

const OWN_HEADERS: Partial<Record<ErrorCode, HeaderName[]>> = {
  authentication_failed: ['WWW-Authenticate'],
  rate_limit_exceeded: ['Retry-After', ...RATE_LIMIT],
  unavailable: ['Retry-After'],
};

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The error answers, one a tag, as `components.responses` may hold them. Source: contract §2. */
export const ERROR_RESPONSES: oas31.ResponsesObject = Object.fromEntries(
  CODES.map((error) => {
    const { description, message, details } = ERRORS[error];
    const example = { error, message, status: ERROR_STATUS[error], ...(details ? { details } : {}) };
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } };
    return [error, { description, headers: headerRefs(...(OWN_HEADERS[error] ?? [])), content }];
  }),
);

/** References to the error answers of these statuses, in order. */
export function errorRefs(statuses: Iterable<number>): oas31.ResponsesObject {
  const wanted = new Set(statuses);
  const codes = CODES.filter((code) => wanted.has(ERROR_STATUS[code]));
  return Object.fromEntries(codes.map((code) => [ERROR_STATUS[code], { $ref: `#/components/responses/${code}` }]));
}
