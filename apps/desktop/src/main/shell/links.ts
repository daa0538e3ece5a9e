import { parseWebAddress } from '@berth/client';

/**
 * Decides if an address may be opened in the browser. Allows every `https:` address, and `http:` addresses of known servers and of
 * sites below their names. Refuses addresses with a user name or password.
 *
 * @param servers The origins of the known servers.
 * @returns The parsed address; `null` if the address must not be opened. Source: desktop §6.
 */
export function mayOpen(url: string, servers: readonly string[]): URL | null {
  const parsed = parseWebAddress(url);
  if (parsed === null || parsed.protocol === 'https:') return parsed;
  // The origin of a custom scheme is the string `null`, so it must not be compared.
  return servers.some((server) => isOn(parsed, URL.parse(server))) ? parsed : null;
}

/** True if a page is on an `http:` server or on a site below its name. An IP address has no names below it. */
function isOn(page: URL, server: URL | null): boolean {
  if (server?.protocol !== 'http:' || page.port !== server.port) return false;
  return page.hostname === server.hostname || page.hostname.endsWith(`.${server.hostname}`);
}
