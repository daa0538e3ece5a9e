import { readFileSync } from 'node:fs';
import type { ErrorBody, ErrorCode } from '@berth/contract';
import type { oas31 } from 'zod-openapi';
import type { Operation } from './operations.ts';

/** An operation with the schemas of its input and its successful response. */
export interface DescribedOperation extends Pick<Operation, 'name' | 'openapi' | 'status'> {
  creates?: boolean;
  /** The path to which a successful response redirects. */
  redirect?: string;
  parameters: oas31.ParameterObject[];
  body?: oas31.RequestBodyObject;
  /** The body of a successful response. */
  answer: oas31.ContentObject;
  /** Headers of a successful response that other responses do not have. */
  headers?: readonly HeaderName[];
}

/** Examples of requests or responses, by title. */
export type Examples<T = unknown> = Record<string, T>;

/** Requests and responses of a running server; `apps/api/test/contract` records them. */
export interface RecordedExamples {
  /** By operation: JSON bodies of requests that succeeded, and bodies of responses by status. */
  operations: Record<string, { requests?: Examples; answers: Record<string, Examples> }>;
  /** Errors of many operations, by code. `other` is for errors that occur before the operation is known. */
  errors: Partial<Record<ErrorCode | 'other', Examples<ErrorBody>>>;
}

export const EXAMPLES_FILE = new URL('./openapi-examples.json', import.meta.url);
export const EXAMPLES = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as RecordedExamples;

/** Returns `example` for a single example, and `examples` by title for several. */
export function exampleFields(examples: Examples = {}): Pick<oas31.MediaTypeObject, 'example' | 'examples'> {
  const entries = Object.entries(examples);
  if (entries.length === 0) return {};
  return entries.length === 1
    ? { example: entries[0]![1] }
    : { examples: Object.fromEntries(entries.map(([title, value]) => [title, { value }])) };
}

const textHeader = (description: string, example: string): oas31.HeaderObject => ({
  description,
  schema: { type: 'string' },
  example,
});
const countHeader = (description: string, example: number): oas31.HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});

/** The headers of responses, for `components.headers`. Source: api §1, §2, §3, §7. */
export const HEADERS = {
  'X-Request-Id': {
    ...textHeader('The id of this request in the log of the service.', '0b7c2a9e5d414f3a9c1e7a2f6b8d0e15'),
    required: true,
  },
  'RateLimit-Limit': countHeader(
    'The number of requests in a full budget. Absent if the operator has turned rate limits off.',
    600,
  ),
  'RateLimit-Remaining': countHeader('Remaining requests.', 599),
  'RateLimit-Reset': countHeader('Seconds until the budget is full again.', 1),
  'Retry-After': {
    ...countHeader('Seconds to wait before a retry.', 7),
    schema: { type: 'integer', minimum: 1 },
    required: true,
  },
  'WWW-Authenticate': { ...textHeader('How to authenticate.', 'Bearer'), required: true },
  Allow: textHeader('The supported methods; sent only with a 405.', 'GET, HEAD, OPTIONS'),
  'Idempotency-Replay': {
    description: 'Present if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string' },
    example: 'true',
  },
  Location: { ...textHeader('The new address.', '/limits'), required: true },
} satisfies oas31.HeadersObject;

type HeaderName = keyof typeof HEADERS;

/** Returns references to the named headers and to the headers of every response. */
export function headerRefs(names: readonly HeaderName[] = []): oas31.HeadersObject {
  const sentHeaders: HeaderName[] = [
    'X-Request-Id',
    ...names,
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'RateLimit-Reset',
  ];
  return Object.fromEntries(sentHeaders.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
