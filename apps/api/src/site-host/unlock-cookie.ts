import { UNLOCK_SECONDS } from '@berth/core';

/** How the outside of the service is configured, as far as cookies depend on it. */
export interface CookiePolicy {
  /** The scheme of every public address. Configuration, never the socket's word. */
  readonly publicScheme: 'http' | 'https';
  /** Whether cookies go over plain http to hosts other than `.localhost`. */
  readonly allowInsecure: boolean;
}

/** The name of the unlock cookie on one host, and what else its `Set-Cookie` says. */
export interface CookieForm {
  name: string;
  attributes: string;
}

const NAME = 'berth-unlock';
const ATTRIBUTES = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${UNLOCK_SECONDS}`;

/**
 * The form that browsers take the cookie in. Over plain http they drop `Secure` and `__Host-`, at least some of them on
 * `.localhost` too.
 *
 * @param host The host that was asked, normalised.
 * @returns `null` where no cookie is set: on plain http, unless the configuration allows it.
 * Source: security §7, §8.
 */
export function cookieForm(host: string, { publicScheme, allowInsecure }: CookiePolicy): CookieForm | null {
  if (publicScheme === 'https') return { name: `__Host-${NAME}`, attributes: `${ATTRIBUTES}; Secure` };
  return allowInsecure || host.endsWith('.localhost') ? { name: NAME, attributes: ATTRIBUTES } : null;
}

/**
 * The values of all cookies of one name, as they were sent.
 *
 * @param header What `Cookie` holds.
 */
export function cookiesNamed(name: string, header = ''): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
