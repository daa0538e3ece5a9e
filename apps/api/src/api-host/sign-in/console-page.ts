import type { IncomingMessage } from 'node:http';

/** The paths for which a cookie makes a caller. Source: api §13. */
const COOKIE_PATHS = /^\/(?:(?:trpc|uploads|sign-in)\/|session(?:\?|$)|deployments\/[^/?]+\/archive(?:\?|$))/;
const READING_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);
/** Pages of the console send this header where browsers send no Fetch Metadata. Pages of other origins cannot send it. */
const CONSOLE_HEADER = 'x-berth-console';

/**
 * Whether a page of the console sent a request, to a path for which its cookie counts. Browsers say so by Fetch Metadata. On plain
 * http they send none: then the page must send `X-Berth-Console: 1`, which CORS allows no other origin, and its own `Origin` with
 * every change.
 *
 * @param baseUrl The address of the console. Source: api §13; security T43.
 */
export function isFromConsole({ url = '', method, headers }: IncomingMessage, baseUrl: URL): boolean {
  if (!COOKIE_PATHS.test(url)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (baseUrl.protocol === 'https:' || headers[CONSOLE_HEADER] !== '1') return false;
  return headers.origin === undefined ? READING_METHODS.has(method) : headers.origin === baseUrl.origin;
}
