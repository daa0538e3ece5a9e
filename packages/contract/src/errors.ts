import { z } from 'zod';
import { openEnum } from './open-enum.ts';

/**
 * The HTTP status of every `error` code of the API. A newer server may have other codes.
 * Source: api §2.
 */
export const ERROR_STATUS = {
  validation_failed: 400,
  authentication_failed: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  uri_too_long: 414,
  business_logic_error: 422,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_server_error: 500,
  unavailable: 503,
} as const;

/** An `error` code. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** The limits that a request can exceed, as `details.limit` of a 413 names them. */
export const SIZE_LIMITS = ['maxFileSize', 'maxFilesCount', 'maxTotalSize', 'body'] as const;
export type SizeLimit = (typeof SIZE_LIMITS)[number];

/** The shape of `details`, by error code. Codes that are not listed have no details. */
interface ErrorDetails {
  validation_failed: { issues: { path: string; message: string }[] } | { file: string };
  forbidden: { cap: string; used: number; limit: number };
  payload_too_large: { limit: SizeLimit; max: number; file?: string };
  business_logic_error: Record<string, unknown>;
  rate_limit_exceeded: { retryAfter: number };
  internal_server_error: { requestId: string };
}

/** The shape of the `details` of one error code; `never` if the code has no details. */
export type DetailsOf<C extends ErrorCode> = C extends keyof ErrorDetails ? ErrorDetails[C] : never;

/** The body of every error response of the API. */
export const ErrorBody = z
  .object({
    error: openEnum(Object.keys(ERROR_STATUS) as ErrorCode[]).describe(
      'The error code, for programs. Each code has one status.',
    ),
    message: z.string().describe('The error, for people: what is invalid and what would be valid.'),
    status: z.int().describe('The HTTP status code.'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Structured context, by code: `issues` or `file`; `cap`, `used` and `limit`; `limit`, `max` and `file`; `retryAfter`; `requestId`.',
      ),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;
