import type { SignInOffer } from '../state/session.tsx';

const NO_COOKIES =
  'Signing in needs a cookie, and this browser blocks cookies. Allow them for this site, and reload the page.';

/** Returns why no one can sign in at this address or in this browser; `null` if it is possible. Source: api §13. */
export function refusalOf({ refusal }: SignInOffer): string | null {
  return refusal ?? (navigator.cookieEnabled ? null : NO_COOKIES);
}
