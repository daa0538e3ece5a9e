import { ERROR_STATUS } from '@berth/contract';
import { mayCall, type Operation, FOREIGN_RESOURCE_ACCESS } from '@berth/core';
import type { oas31 } from 'zod-openapi';
import { ERRORS, type OperationError, type DocumentedOperation } from './openapi-errors.ts';

const text = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: 'string' },
  example,
});
const count = (description: string, example: number): oas31.HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The headers of answers, for `components.headers`. Source: api §1, §2, §3, §7. */
export const HEADERS = {
  'X-Request-Id': {
    ...text('The id of this request in the log of the service.', '0b7c2a9e5d414f3a9c1e7a2f6b8d0e15'),
    required: true,
  },
  'RateLimit-Limit': count('Requests in a full budget. Absent if the operator has turned rate limits off.', 600),
  'RateLimit-Remaining': count('Remaining requests.', 599),
  'RateLimit-Reset': count('Seconds until the budget is full again.', 1),
  'Retry-After': {
    ...count('Seconds to wait before a retry.', 7),
    schema: { type: 'integer', minimum: 1 },
    required: true,
  },
  'WWW-Authenticate': { ...text('How to authenticate.', 'Bearer'), required: true },
  Allow: text('The supported methods; sent only with a 405.', 'GET, HEAD, OPTIONS'),
  'Idempotency-Replay': {
    description: 'Present if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  Location: { ...text('The new address.', '/limits'), required: true },
} satisfies oas31.HeadersObject;

export type HeaderName = keyof typeof HEADERS;

/** The headers of a rate limit. */
export const RATE_LIMIT: readonly HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** References to `components.headers`: the request id and the named headers. */
export function headerRefs(...names: readonly HeaderName[]): oas31.HeadersObject {
  const all: HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const OWN_HEADERS: Partial<Record<keyof typeof ERRORS, readonly HeaderName[]>> = {
  authentication_failed: ['WWW-Authenticate'],
  rate_limit_exceeded: ['Retry-After'],
  unavailable: ['Retry-After'],
  other: ['Allow'],
};

/** The error answers, for `components.responses`: one for each tag, and `other`. Source: api §2. */
export const ERROR_RESPONSES: Record<keyof typeof ERRORS, oas31.ResponseObject> = Object.fromEntries(
  (Object.keys(ERRORS) as (keyof typeof ERRORS)[]).map((name) => [
    name,
    errorResponse(name, ERRORS[name].description, Object.keys(ERRORS[name].examples)),
  ]),
) as Record<keyof typeof ERRORS, oas31.ResponseObject>;

/** An error answer with the examples of these titles. */
function errorResponse(name: keyof typeof ERRORS, description: string, titles: string[]): oas31.ResponseObject {
  const examples = titles.map((title) => {
    const { error, message, details } = ERRORS[name].examples[title]!;
    return [title, { error, message, status: ERROR_STATUS[error], ...(details ? { details } : {}) }];
  });
  return {
    description,
    headers: headerRefs(...(OWN_HEADERS[name] ?? []), ...RATE_LIMIT),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...exampleFields(Object.fromEntries(examples)),
      },
    },
  };
}

const ANY_ERRORS = [401, 403, 429, 500, 503];
const OPERATION_ERRORS = Object.keys(ERRORS).filter((name): name is OperationError => name !== 'other');

/**
 * Every error that an operation can answer with: those of every operation, those that follow from its input and from
 * who may call it, and those that it declares itself. Errors that occur before an operation is found are the `default`
 * answer.
 *
 * An answer that is the same for all operations is a reference; an answer that differs is written out in full.
 *
 * Source: api §2, §7; security T21, T22.
 */
export function errorResponses(operation: DocumentedOperation): oas31.ResponsesObject {
  const { name, hasInput, hasBody, reasons = {} } = operation;
  const others = Object.hasOwn(FOREIGN_RESOURCE_ACCESS, name)
    ? FOREIGN_RESOURCE_ACCESS[name as Operation & keyof typeof FOREIGN_RESOURCE_ACCESS]
    : undefined;
  const statuses = new Set([
    ...ANY_ERRORS,
    ...(hasInput ? [400] : []),
    ...(hasBody ? [408, 413] : []),
    ...(others === 'not_found' ? [404] : []),
    ...Object.keys(reasons).map(Number),
  ]);
  const codes = OPERATION_ERRORS.filter((code) => statuses.has(ERROR_STATUS[code]));
  const answers = codes.map((code) => [ERROR_STATUS[code], errorResponseOf(code, operation)]);
  return { ...Object.fromEntries(answers), default: { $ref: '#/components/responses/other' } };
}

function errorResponseOf(
  code: OperationError,
  operation: DocumentedOperation,
): oas31.ResponseObject | oas31.ReferenceObject {
  const description = describe(code, operation.name, operation.reasons?.[ERROR_STATUS[code]]);
  const all = Object.entries(ERRORS[code].examples);
  const reasonsOfCode = all
    .filter(([, { appliesTo }]) => appliesTo === undefined || appliesTo(operation))
    .map(([title]) => title);
  return description === ERRORS[code].description && reasonsOfCode.length === all.length
    ? { $ref: `#/components/responses/${code}` }
    : errorResponse(code, description, reasonsOfCode);
}

/** Describes an error for this operation: the shared description, the reason that the operation gives, or both. */
function describe(code: OperationError, name: string, reason: string | undefined): string {
  const { description } = ERRORS[code];
  if (code === 'forbidden') {
    const reasons = [
      'The account is suspended or terminated.',
      ...(mayCall(name, 'deploy') ? [] : ['The credential is a deploy token, which cannot call this operation.']),
      ...(reason ? [reason] : []),
    ];
    return reasons.length === 1 ? reasons[0]! : `Not permitted:\n\n- ${reasons.join('\n- ')}`;
  }
  if (code === 'authentication_failed' && mayCall(name, 'anonymous'))
    return 'The credential is not valid. This operation needs none.';
  if (reason === undefined) return description;
  return code === 'rate_limit_exceeded' || code === 'validation_failed' ? `${description} ${reason}` : reason;
}

/** Examples for a media type: `example` for one value, `examples` by title for several. */
export function exampleFields(values: Record<string, unknown>): Pick<oas31.MediaTypeObject, 'example' | 'examples'> {
  const entries = Object.entries(values);
  if (entries.length === 0) return {};
  return entries.length === 1
    ? { example: entries[0]![1] }
    : { examples: Object.fromEntries(entries.map(([title, value]) => [title, { value }])) };
}
