import { z } from 'zod';
import { Labels } from './labels.ts';
import { list } from './lists.ts';
import { domainName } from './names.ts';

/** How long an anonymous deployment lives, in seconds. Source: api §3. */
export const ANONYMOUS_TTL_SECONDS = 3 * 24 * 60 * 60;

/** The maximum lifetime of a deployment or a token, in seconds: 365 days. */
export const MAX_TTL_SECONDS = 365 * 24 * 60 * 60;

/** The field name of each file part in the deploy form. */
export const FILES_FIELD = 'files[]';

/** The maximum length of an `Idempotency-Key`, in characters. */
export const MAX_IDEMPOTENCY_KEY = 256;

/** How long a request with a used `Idempotency-Key` gets the first response again, in seconds. */
export const IDEMPOTENCY_WINDOW_SECONDS = 24 * 60 * 60;

const MD5 = /^[0-9a-fA-F]{32}$/;
const MAX_CHECKSUM_LENGTH = 32;
const MALFORMED_CHECKSUM = 'a checksum must be the MD5 of a file as 32 hex digits';

/** The MD5 of each file in hex, in the order of the file parts. Letter case does not matter. */
export const Checksums = list(z.string().max(MAX_CHECKSUM_LENGTH, MALFORMED_CHECKSUM)).transform((checksums, ctx) => {
  const malformedIndex = checksums.findIndex((checksum) => !MD5.test(checksum));
  if (malformedIndex >= 0) ctx.addIssue({ code: 'custom', path: [malformedIndex], message: MALFORMED_CHECKSUM });
  return checksums.map((checksum) => checksum.toLowerCase());
});

const PASSWORD_LENGTH = 'a password must have 6 to 128 characters';
/** The maximum length of a password before it is trimmed and normalized, in UTF-16 units. */
const MAX_PASSWORD_TEXT = 4_096;

/** A site password: 6 to 128 characters after it is trimmed and normalized to NFC. Source: api §1. */
export const Password = z
  .string()
  .max(MAX_PASSWORD_TEXT, PASSWORD_LENGTH)
  .transform((text) => text.trim().normalize('NFC'))
  .refine((text) => {
    const { length } = [...text];
    return length >= 6 && length <= 128;
  }, PASSWORD_LENGTH)
  .refine((text) => text.isWellFormed() && !text.includes('\ufffd'), 'a password must be sent as UTF-8');

/** A lifetime in whole seconds, from 1 to {@link MAX_TTL_SECONDS}. */
export const Ttl = z
  .int('ttl must be whole seconds')
  .min(1, 'ttl must be at least 1 second')
  .max(MAX_TTL_SECONDS, 'ttl must be at most 365 days');

const VIA_PATTERN = /^[A-Za-z0-9._-]{1,32}$/;

/** Returns the value of `via` in lower case, or `api` if the value is absent or malformed. Source: api §1. */
export function normalizeVia(text: string | undefined): string {
  return text !== undefined && VIA_PATTERN.test(text) ? text.toLowerCase() : 'api';
}

/** The maximum of `keep`. Source: api §3. */
export const MAX_KEEP = 1_000;

/** How many versions of a domain to keep, from 1 to {@link MAX_KEEP}. */
export const Keep = z
  .int('keep must be a whole number')
  .min(1, 'keep must be at least 1')
  .max(MAX_KEEP, 'keep must be at most 1,000');

/** The options of a deploy, whether its files arrive as a form, as an archive or as an upload. Source: api §3. */
export const DeployOptions = z.object({
  labels: Labels.optional(),
  password: Password.optional().describe(
    'Protects the site: visitors must enter this password. The API never returns it. If absent, a deploy with `domain` keeps the password of the deployment that the domain shows.',
  ),
  via: z.string().optional().describe('The tool that makes this deployment: at most 32 characters of `a-z0-9._-`.'),
  ttl: Ttl.optional().describe(
    'Seconds until the deployment expires. Needs a credential; cannot be used with `domain`.',
  ),
  domain: domainName(8_000)
    .optional()
    .describe(
      'The domain to point at the deployment, in the same step: its full name. It is created if necessary. If the domain is refused, nothing is published. Needs an API key, or a deploy token that is limited to this domain.',
    ),
  keep: Keep.optional().describe(
    'With `domain`: how many versions of the domain to keep, this deployment included. Older ones are deleted in the same step, unless another domain shows them, and are listed as `deleted`. A deploy token cannot keep fewer than the `keep` of the token.',
  ),
  open: z
    .boolean()
    .optional()
    .describe(
      'Publishes without a password, even if the domain shows a deployment with one. A deploy token cannot use it.',
    ),
});
export type DeployOptions = z.infer<typeof DeployOptions>;

/** The fields of the deploy form besides `files[]`. Each field may appear once. */
export const DEPLOY_FIELDS = [
  'checksums',
  'labels',
  'password',
  'via',
  'ttl',
  'domain',
  'keep',
  'open',
] as const satisfies readonly ('checksums' | keyof DeployOptions)[];
export type DeployField = (typeof DEPLOY_FIELDS)[number];
