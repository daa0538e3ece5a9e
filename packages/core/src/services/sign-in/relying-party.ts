import { isIP } from 'node:net';
import type { Core } from '../../core.ts';
import { ServiceError } from '../../errors.ts';

/** The algorithms of passkeys in COSE numbers: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257] as const;
/** How long a browser may take to create or use a passkey, in seconds. */
export const CHALLENGE_SECONDS = 600;

/** What passkeys are bound to. */
export interface RelyingParty {
  /** The host name of the console. */
  id: string;
  origin: string;
}

/**
 * Returns what passkeys of this server are bound to; `null` where browsers have no passkeys: on plain http, except for
 * `localhost`, and at IP addresses. Source: api §13.
 */
function relyingParty({ addresses }: Pick<Core, 'addresses'>): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(addresses.console);
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}

/** Whether browsers have passkeys at the address of the console. */
export function canUsePasskeys(core: Pick<Core, 'addresses'>): boolean {
  return relyingParty(core) !== null;
}

/** Returns {@link relyingParty}. @throws `business_logic_error` where browsers have no passkeys. */
export function requireRelyingParty(core: Pick<Core, 'addresses'>): RelyingParty {
  const party = relyingParty(core);
  if (party) return party;
  throw new ServiceError(
    'business_logic_error',
    'Browsers have passkeys only on https with a host name, and on localhost. Use a password here.',
    { details: { state: 'no_passkeys' } },
  );
}

/** Loads the library for passkeys, which takes 200 ms and 5 MiB, when it is first needed. */
export function loadWebAuthn() {
  return import('@simplewebauthn/server');
}
