import { UNLOCK_SECONDS } from '@berth/core/sites';

/** The public configuration of the service that cookies depend on. */
export interface CookiePolicy {
  /** The scheme of every public address, taken from the configuration and never from the socket. */
  readonly publicScheme: 'http' | 'https';
  /** Whether cookies are set over plain http on hosts other than `.localhost`. */
  readonly allowInsecure: boolean;
}

/** The name of the unlock cookie on one host, and the attributes of its `Set-Cookie`. */
export interface CookieForm {
  name: string;
  attributes: string;
}

const NAME = 'berth-unlock';
const ATTRIBUTES = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${UNLOCK_SECONDS}`;

/**
 * The form of the cookie that browsers accept. Over plain http they drop `Secure` and `__Host-` cookies; at least some
 * do so on `.localhost` too.
 *
 * @param host The host of the request, normalised.
 * @returns `null` where no cookie is set: on plain http, unless the configuration allows it.
 * Source: security §7, §8.
 */
export function cookieForm(host: string, { publicScheme, allowInsecure }: CookiePolicy): CookieForm | null {
  if (publicScheme === 'https') return { name: `__Host-${NAME}`, attributes: `${ATTRIBUTES}; Secure` };
  return allowInsecure || host.endsWith('.localhost') ? { name: NAME, attributes: ATTRIBUTES } : null;
}

/**
 * The values of all cookies with one name, as they were sent.
 *
 * @param header The value of `Cookie`.
 */
export function cookiesNamed(name: string, header = ''): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
