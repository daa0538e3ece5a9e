import { readFileSync } from 'node:fs';
import type { ErrorBody, ErrorCode } from '@berth/contract';
import type { oas31 } from 'zod-openapi';
import type { Operation } from './operations.ts';

/** An operation with the schemas of its input and its answer. */
export interface DescribedOperation extends Pick<Operation, 'name' | 'openapi' | 'status'> {
  /** Whether success can also be 201. */
  creates?: boolean;
  /** The path that a success refers to. */
  redirect?: string | undefined;
  parameters: oas31.ParameterObject[];
  body?: oas31.RequestBodyObject | undefined;
  /** The body of a success. */
  answer: oas31.ContentObject;
  /** The headers of a success, besides those of every answer. */
  headers?: readonly HeaderName[];
}

/** Examples by title. */
export type Examples<T = unknown> = Record<string, T>;

/** Requests and answers of a running server; `apps/api/test/contract` records them. */
export interface RecordedExamples {
  /** By operation: JSON bodies of requests that succeeded, and bodies of answers by status. */
  operations: Record<string, { requests?: Examples; answers: Record<string, Examples> }>;
  /** Errors that are the same for many operations; `other` are those that occur before the operation is known. */
  errors: Partial<Record<ErrorCode | 'other', Examples<ErrorBody>>>;
}

export const EXAMPLES_FILE = new URL('./openapi-examples.json', import.meta.url);
export const EXAMPLES = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as RecordedExamples;

/** Examples for a media type: `example` for one value, `examples` by title for several. */
export function exampleFields(examples: Examples = {}): Pick<oas31.MediaTypeObject, 'example' | 'examples'> {
  const entries = Object.entries(examples);
  if (entries.length === 0) return {};
  return entries.length === 1
    ? { example: entries[0]![1] }
    : { examples: Object.fromEntries(entries.map(([title, value]) => [title, { value }])) };
}

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

type HeaderName = keyof typeof HEADERS;

/** References to `components.headers`: the headers of every answer, and these. */
export function headerRefs(names: readonly HeaderName[] = []): oas31.HeadersObject {
  const all: HeaderName[] = ['X-Request-Id', ...names, 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
