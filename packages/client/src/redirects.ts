import { ClientError } from './errors.ts';

/**
 * Rejects redirects. The request may contain passwords and files, which are only for the server that the caller named.
 *
 * @param server The address of the server.
 * @param requestUrl The address of the request, on that server.
 * @throws ClientError `refused`. Its `details.server` is the address to use instead, if there is one.
 */
export function refuseRedirect({ status, type, headers }: Response, server: URL, requestUrl: URL): void {
  const location = headers.get('location');
  const isRedirect = type === 'opaqueredirect' || (status >= 300 && status < 400 && location !== null);
  if (!isRedirect) return;
  const target = redirectedServer(URL.parse(location ?? '', requestUrl.href), server, requestUrl);
  const message =
    target === null
      ? `The server at ${server.host} redirects to an invalid address. Check the address of the server.`
      : `The server at ${server.host} redirects to ${target}. Use that address for the server.`;
  throw new ClientError('refused', message, { status, details: { server: target } });
}

/**
 * Returns the address of the server that the redirect leads to: its target without the path of the request, or the origin if
 * the path differs. `null` if the target is not a web address.
 */
function redirectedServer(target: URL | null, server: URL, requestUrl: URL): string | null {
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  const path = requestUrl.pathname.slice(server.pathname.length);
  const below = path !== '' && target.pathname.endsWith(`/${path}`) ? target.pathname.slice(0, -path.length - 1) : '';
  return target.origin + below;
}
