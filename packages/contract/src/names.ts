import { z } from 'zod';

/** The pattern of a deployment id: `adjective-noun-` and 7 of `[a-z0-9]`, a valid DNS label. Source: api §1. */
export const DEPLOYMENT_ID = /^[a-z]{2,16}-[a-z]{2,16}-[a-z0-9]{7}$/;

/** The pattern of a credential. The prefix is `ship` for an API key and `deploy` for a deploy token. */
export const CREDENTIAL = /^(ship|deploy)-[0-9a-f]{32}$/;

/** The pattern of a claim hash: 32 lowercase hex digits. */
export const CLAIM_HASH = /^[0-9a-f]{32}$/;

/** The pattern of the id of a token, which is unique within its account. */
export const TOKEN_ID = /^[a-z0-9]{7}$/;

/** The kinds of credentials. Source: api §5. */
export type TokenKind = 'api' | 'deploy';

/** The prefix of the credentials of each kind. */
export const CREDENTIAL_PREFIX = { api: 'ship', deploy: 'deploy' } as const satisfies Record<TokenKind, string>;

/** Returns the kind of a credential by its prefix; `null` if the text is not a credential. */
export function kindOfCredential(credential: string): TokenKind | null {
  if (!CREDENTIAL.test(credential)) return null;
  return credential.startsWith(`${CREDENTIAL_PREFIX.api}-`) ? 'api' : 'deploy';
}

/**
 * Parses a deployment reference: an id or a full host name, in any case, with or without a port.
 *
 * @param text The text from the path or the body.
 * @param platformDomain The domain of the sites, such as `sites.example`. A port in it is ignored.
 * @returns The id in lower case, or `null` if the text cannot name a deployment.
 */
export function parseDeploymentReference(text: string, platformDomain: string): string | null {
  const lower = text.toLowerCase();
  const suffix = `.${hostOf(platformDomain)}`;
  const name = hostOf(lower);
  const id = name.endsWith(suffix) ? name.slice(0, -suffix.length) : lower;
  return DEPLOYMENT_ID.test(id) ? id : null;
}

function hostOf(authority: string): string {
  return authority.toLowerCase().replace(/:\d{1,5}$/, '');
}

/** A deployment named in a path or a body. An unreadable reference gets the same 404 as a missing deployment. */
export const DeploymentReference = z
  .string()
  .max(300, 'a deployment must be given by its id, or its full host name')
  .describe('The deployment id, or its full host name. Letter case does not matter.')
  .meta({ example: 'calm-otter-4k9x2qd' });

/**
 * Returns the schema of a domain name, in Unicode or as A-labels. The service decides which names up to `maxLength` are valid.
 */
export const domainName = (maxLength: number) =>
  z
    .string('domain must be a domain name')
    .max(maxLength, 'a domain name must have at most 253 characters')
    .describe('The full name, as Unicode or punycode. Letter case does not matter.')
    .meta({ example: 'www.example.com' });
