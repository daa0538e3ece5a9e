import { z } from 'zod';

/** A deployment id: `adjective-noun-` and 7 of `[a-z0-9]`, a valid DNS label. Source: contract §1. */
export const DEPLOYMENT_ID = /^[a-z]{2,16}-[a-z]{2,16}-[a-z0-9]{7}$/;

/** A credential: the prefix tells an API key from a deploy token. Source: service-api part 5, contract §1. */
export const CREDENTIAL = /^(ship|deploy)-[0-9a-f]{32}$/;

/** A claim hash: 32 lowercase hex digits. Source: contract §1. */
export const CLAIM_HASH = /^[0-9a-f]{32}$/;

/** A token identifier, unique within its account. Source: contract §1. */
export const TOKEN_ID = /^[a-z0-9]{7}$/;

/** What a credential is good for. Source: service-api part 5. */
export type TokenKind = 'api' | 'deploy';

/** The prefix that a credential of each kind starts with. Source: service-api part 5. */
export const CREDENTIAL_PREFIX = { api: 'ship', deploy: 'deploy' } as const satisfies Record<TokenKind, string>;

/** What a credential says that it is good for; `null` for what is none. Source: service-api part 5. */
export function kindOfCredential(credential: string): TokenKind | null {
  if (!CREDENTIAL.test(credential)) return null;
  return credential.startsWith(`${CREDENTIAL_PREFIX.api}-`) ? 'api' : 'deploy';
}

/**
 * Reads a deployment reference: the id itself or its full host name, in any case, with or without a port.
 *
 * @param text What stood in the path or the body.
 * @param platformDomain Where sites live, such as `sites.example`; a port in it does not matter.
 * @returns The id in lower case, or `null` for anything that cannot name a deployment.
 * Source: contract §1.
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

/** The path or body field that names a deployment. Anything unreadable is the 404 of a missing one. */
export const DeploymentReference = z
  .string()
  .max(300, 'a deployment must be given by its id, or its full host name')
  .describe('The deployment id, or its full host name, in any case.')
  .meta({ example: 'calm-otter-4k9x2qd' });
