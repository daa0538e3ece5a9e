import { ERROR_DETAILS, ERROR_STATUS, ErrorBody, type ErrorCode } from '@berth/contract';
import { FOREIGN_RESOURCE_ACCESS, mayCall } from '@berth/core';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { type DescribedOperation, type Examples, EXAMPLES, exampleFields, headerRefs } from './openapi-parts.ts';
import { schemaRef } from './openapi-schemas.ts';

type OperationError = Exclude<ErrorCode, 'method_not_allowed' | 'uri_too_long' | 'headers_too_large'>;

/** The description of each error. `other` is for requests that fail before their operation is known. Source: api §2. */
const MEANINGS: Record<OperationError | 'other', string> = {
  validation_failed:
    'The input is not valid. `details.issues` lists the invalid fields or files, and `details.file` names the first invalid file.',
  authentication_failed: 'The credential is missing or not valid: malformed, unknown, expired or revoked.',
  forbidden: 'Not permitted.',
  not_found: 'There is no such resource, or it belongs to another account; the response is the same for both.',
  request_timeout: 'The body did not arrive in time.',
  payload_too_large: 'The body is larger than 1 MiB.',
  business_logic_error: 'The state of the resource does not allow the operation.',
  rate_limit_exceeded: 'Too many requests. Try again after `Retry-After` seconds.',
  internal_server_error: 'The server failed; the operator can find the cause in the log by the request id.',
  unavailable: 'The service is not available right now. Try again after `Retry-After` seconds.',
  other:
    'Errors that occur before the operation is known: 400 for a request that is not valid HTTP, 405 for a method that the path does not support, 408 for headers that do not arrive in time, 414 for a URL of more than 8 KiB, 431 for headers of more than 16 KiB. The body has the same form as that of other errors.',
};
const COMMON_STATUSES = [401, 403, 429, 500, 503];
const OPERATION_ERRORS = Object.keys(MEANINGS).filter((code): code is OperationError => code !== 'other');

const ADDITIONAL_HEADERS: Partial<Record<keyof typeof MEANINGS, Parameters<typeof headerRefs>[0]>> = {
  authentication_failed: ['WWW-Authenticate'],
  rate_limit_exceeded: ['Retry-After'],
  unavailable: ['Retry-After'],
  other: ['Allow'],
};

/** The codes whose `details` are always present. */
const ALWAYS_DETAILED: ReadonlySet<ErrorCode> = new Set(['rate_limit_exceeded', 'internal_server_error']);

/** Returns the name of the schema of an error: `NotFoundError` for `not_found`. */
const errorName = (code: ErrorCode): string =>
  `${code.replace(/_error$/, '').replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;

function errorSchema(code: ErrorCode) {
  const details: z.ZodObject | undefined = (ERROR_DETAILS as Partial<Record<ErrorCode, z.ZodObject>>)[code];
  const { message, status } = ErrorBody.shape;
  return z
    .object({
      error: z.literal(code).describe('The error code, for programs.'),
      message,
      status: status.meta({ example: ERROR_STATUS[code] }),
      ...(details ? { details: ALWAYS_DETAILED.has(code) ? details : details.optional() } : {}),
    })
    .meta({ id: errorName(code) });
}

const [firstSchema, ...otherSchemas] = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(errorSchema);

/** Every error as one union, which `error` discriminates. Source: api §2. */
export const ApiError = z
  .discriminatedUnion('error', [firstSchema!, ...otherSchemas])
  .describe(
    'An error. `error` is one of a closed list of codes, each of which has one status and one form of `details`.',
  )
  .meta({ id: 'ApiError' });

function errorResponse(
  code: keyof typeof MEANINGS,
  description: string,
  examples: Examples<ErrorBody>,
): oas31.ResponseObject {
  return {
    description,
    headers: headerRefs(ADDITIONAL_HEADERS[code]),
    content: {
      'application/json': {
        schema: schemaRef(code === 'other' ? 'ApiError' : errorName(code)),
        ...exampleFields(examples),
      },
    },
  };
}

/** All error responses, by code, for `components.responses`. Source: api §2. */
export const ERROR_RESPONSES = Object.fromEntries(
  ([...OPERATION_ERRORS, 'other'] as const).map((code) => [
    code,
    errorResponse(code, MEANINGS[code], EXAMPLES.errors[code] ?? {}),
  ]),
);

/**
 * Describes the errors of an operation: errors of every operation, errors that follow from its input and its
 * permissions, and errors that its metadata describes. `default` describes errors that occur before an operation is
 * found. A response that does not differ from the shared one is a reference. Source: api §2, §7; security T21, T22.
 */
export function errorResponses(operation: DescribedOperation): oas31.ResponsesObject {
  const { name, openapi, parameters, body } = operation;
  const statuses = new Set([
    ...COMMON_STATUSES,
    ...(parameters.length > 0 || body ? [400] : []),
    ...(body ? [408, 413] : []),
    ...((FOREIGN_RESOURCE_ACCESS as Record<string, string>)[name] === 'not_found' ? [404] : []),
    ...Object.keys(openapi.errorResponses ?? {}).map(Number),
  ]);
  const codes = OPERATION_ERRORS.filter((code) => statuses.has(ERROR_STATUS[code]));
  const responses = codes.map((code) => [ERROR_STATUS[code], errorResponseOf(code, operation)]);
  return { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/other' } };
}

function errorResponseOf(
  code: OperationError,
  operation: DescribedOperation,
): oas31.ResponseObject | oas31.ReferenceObject {
  const description = describeError(code, operation);
  const ownExamples = EXAMPLES.operations[operation.name]?.answers[ERROR_STATUS[code]] ?? {};
  const sharedExamples = Object.entries(EXAMPLES.errors[code] ?? {});
  const applicable = sharedExamples.filter(([title]) => APPLIES_TO[title]?.(operation) ?? true);
  return description === MEANINGS[code] &&
    Object.keys(ownExamples).length === 0 &&
    applicable.length === sharedExamples.length
    ? { $ref: `#/components/responses/${code}` }
    : errorResponse(code, description, { ...Object.fromEntries(applicable), ...(ownExamples as Examples<ErrorBody>) });
}

const takesJson = ({ body }: DescribedOperation) => body !== undefined && 'application/json' in body.content;

/** Tests whether a shared example applies to an operation. Examples that are not listed apply to all operations. */
const APPLIES_TO: Record<string, (operation: DescribedOperation) => boolean> = {
  'No credential': ({ name }) => !mayCall(name, 'anonymous'),
  'A deploy token without permission': ({ name }) => !mayCall(name, 'deploy'),
  'A path that cannot be read': ({ openapi }) => openapi.path.includes('{'),
  'A body that is not JSON': takesJson,
  'A body that is too large': takesJson,
};

function describeError(code: OperationError, { name, openapi }: DescribedOperation): string {
  const meaning = MEANINGS[code];
  const reason = openapi.errorResponses?.[ERROR_STATUS[code]];
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
  if (reason === undefined) return meaning;
  return code === 'rate_limit_exceeded' || code === 'validation_failed' ? `${meaning} ${reason}` : reason;
}
