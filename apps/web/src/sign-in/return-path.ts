/**
 * Returns the page of the console to open after signing in: `to` of the query, if it is a path of this server, otherwise the start
 * page. Another site cannot use it to redirect people. Source: security T44.
 */
export function returnPath(search: string): string {
  const to = new URLSearchParams(search).get('to') ?? '/';
  const url = URL.parse(to, location.origin);
  return url?.origin === location.origin && to.startsWith('/') ? url.pathname + url.search : '/';
}

/** Returns the address of the sign-in page that leads back to a page. */
export function signInPath(back: string): string {
  return `/app/sign-in?to=${encodeURIComponent(back)}`;
}
