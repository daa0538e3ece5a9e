import { z } from 'zod';
import { Keep, Ttl } from './deploy-form.ts';
import { Timestamp } from './timestamp.ts';
import { Labels } from './labels.ts';
import { list } from './lists.ts';
import { domainName, type TokenKind } from './names.ts';
import { openEnum } from './open-enum.ts';
import { NextCursor } from './pages.ts';

/** The kinds of credentials: `deploy` can only deploy, `api` has full access to the account. Source: api §5. */
const TOKEN_KINDS = ['deploy', 'api'] as const satisfies readonly TokenKind[];

/** The maximum number of domains that a deploy token can be limited to. */
export const MAX_TOKEN_DOMAINS = 20;
/** How many versions of a domain a deploy token must keep by default. */
export const DEFAULT_TOKEN_KEEP = 10;
const TOO_MANY_DOMAINS = `a token must have at most ${MAX_TOKEN_DOMAINS} domains`;

/** A credential, without its secret. */
export const Token = z
  .object({
    token: z.string().describe('The id of the token, which is not the credential.').meta({ example: 'a1b2c3d' }),
    kind: openEnum(TOKEN_KINDS).describe('`deploy`: can only deploy. `api`: has full access to the account.'),
    labels: z.array(z.string()),
    created: Timestamp,
    expires: Timestamp.nullable().describe('Unix seconds; null if the token does not expire.'),
    used: Timestamp.nullable().describe('When the token was last used, to the minute, in Unix seconds; null if never.'),
    domains: z
      .array(z.string())
      .optional()
      .describe('The domains that the deploy token can publish to; absent if it can publish to none.'),
    keep: z
      .int()
      .optional()
      .describe('The smallest `keep` of a deploy with this token. Present if `domains` is present.'),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof Token>;

/** The body of the 201 of `POST /tokens`, which is the only response with the secret. */
export const CreatedToken = Token.extend({
  secret: z
    .string()
    .describe('The credential. Only this response contains it.')
    .meta({ example: 'deploy-<32 hexadecimal digits>' }),
}).meta({ id: 'CreatedToken' });
export type CreatedToken = z.infer<typeof CreatedToken>;

/** The request for a new credential. */
export const TokenRequest = z
  .object({
    kind: z
      .enum(TOKEN_KINDS, 'kind must be "deploy" or "api"')
      .default('deploy')
      .describe('`deploy`: can only deploy. `api`: has full access to the account.'),
    ttl: Ttl.optional().describe('Seconds until the token expires. Default: it does not expire.'),
    labels: Labels.optional(),
    domains: list(domainName(8_000))
      .min(1, 'domains must name at least one domain')
      .max(MAX_TOKEN_DOMAINS, TOO_MANY_DOMAINS)
      .optional()
      .describe(
        `For deploy tokens: the domains that the token can publish to with \`domain\`, and read. At most ${MAX_TOKEN_DOMAINS} full names; a domain need not exist yet.`,
      ),
    keep: Keep.optional().describe(
      `With \`domains\`: how many versions of a domain a deploy with this token must keep. Default: ${DEFAULT_TOKEN_KEEP}.`,
    ),
  })
  .meta({ id: 'TokenRequest' });
export type TokenRequest = z.output<typeof TokenRequest>;

export const TokenList = z.object({ tokens: z.array(Token), nextCursor: NextCursor }).meta({ id: 'TokenList' });

/** The path parameter that names a token. An unreadable id gets the same 404 as a missing token. */
export const TokenPath = z.object({
  token: z
    .string()
    .max(300, 'the id of a token must have 7 characters')
    .describe('The id of the token.')
    .meta({ example: 'a1b2c3d' }),
});
export const DeletedToken = z.object({ token: z.string() }).meta({ id: 'DeletedToken' });
