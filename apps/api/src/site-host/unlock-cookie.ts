import { UNLOCK_SECONDS } from '@berth/core/sites';

/** The parts of the configuration on which cookies depend. */
export interface CookiePolicy {
  /** The scheme of every public address. The socket may use another one behind a proxy. */
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
const COOKIE_ATTRIBUTES = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${UNLOCK_SECONDS}`;

/**
 * Returns the form of the cookie that browsers accept. Browsers drop `Secure` and `__Host-` cookies over plain http,
 * some of them even on `.localhost`.
 *
 * @param host The host of the request, normalised.
 * @returns `null` if no cookie can be set, because the configuration does not allow cookies over plain http. Source:
 *   security §7, §8.
 */
export function cookieForm(host: string, { publicScheme, allowInsecure }: CookiePolicy): CookieForm | null {
  if (publicScheme === 'https') return { name: `__Host-${NAME}`, attributes: `${COOKIE_ATTRIBUTES}; Secure` };
  return allowInsecure || host.endsWith('.localhost') ? { name: NAME, attributes: COOKIE_ATTRIBUTES } : null;
}
