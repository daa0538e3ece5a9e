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

const InputIssue = z
  .object({
    path: z.string().describe('The field, such as `labels.0`, or the path of the file.'),
    message: z.string().describe('What is invalid, and what would be valid.'),
  })
  .meta({ id: 'InputIssue' });
/** An invalid field or file of a request. */
export type InputIssue = z.infer<typeof InputIssue>;

/** The schema of `details`, by error code. Codes that are not listed have no details. Source: api §2. */
export const ERROR_DETAILS = {
  validation_failed: z.object({
    issues: z.array(InputIssue).optional().describe('The invalid fields, or the refused files: at most 50.'),
    file: z.string().optional().describe('The path of the invalid file; of the first one if there are several.'),
  }),
  forbidden: z.object({
    cap: z.string().describe('The cap that is reached, as in `caps` of `GET /account`.'),
    used: z.int().describe('How much of the cap is used.'),
    limit: z.int().describe('The cap.'),
  }),
  payload_too_large: z.object({
    limit: z.enum(SIZE_LIMITS).describe('The limit that is exceeded: `body`, or a limit of `GET /limits`.'),
    max: z.int().describe('The value of the limit: bytes, or a number of files.'),
    file: z.string().optional().describe('The path of the file that is too large.'),
  }),
  business_logic_error: z
    .looseObject({
      state: z.string().optional().describe('The state that prevents the operation, such as `taken_down`.'),
      domains: z.array(z.string()).optional().describe('The domains that point at the deployment.'),
      missing: z.int().optional().describe('Number of contents that must still be sent.'),
    })
    .describe('The state that prevents the operation. Other fields depend on the operation.'),
  rate_limit_exceeded: z.object({ retryAfter: z.int().min(1).describe('Seconds to wait, as in `Retry-After`.') }),
  internal_server_error: z.object({ requestId: z.string().describe('The id of the request in the log.') }),
} as const satisfies Partial<Record<ErrorCode, z.ZodObject>>;

/** The shape of the `details` of one error code; `never` if the code has no details. */
export type DetailsOf<C extends ErrorCode> = C extends keyof typeof ERROR_DETAILS
  ? z.output<(typeof ERROR_DETAILS)[C]> | (C extends 'forbidden' ? ProofDetails : never)
  : never;

/** The `details` of a 403 for a person who must first prove again who they are. Only the console receives it. Source: api §13. */
export interface ProofDetails {
  prove: true;
}

/** The body of every error response of the API, as a client reads it: it accepts any `details`. */
export const ErrorBody = z.object({
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
});
export type ErrorBody = z.infer<typeof ErrorBody>;
