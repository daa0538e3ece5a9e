import { parseWebAddress } from '@berth/client';

/**
 * Decides if an address may be opened in the browser: `https:` anywhere, `http:` only on known servers and sites below their
 * names, and never with a user name or password.
 *
 * @param servers Origins of the known servers.
 * @returns The parsed address; `null` if it must not be opened. Source: desktop §6.
 */
export function mayOpen(url: string, servers: readonly string[]): URL | null {
  const parsed = parseWebAddress(url);
  if (parsed === null || parsed.protocol === 'https:') return parsed;
  // Compare protocol and host: the origin of a custom scheme is the string `null`.
  return servers.some((server) => isOn(parsed, URL.parse(server))) ? parsed : null;
}

/** True if a page is on an `http:` server or on a site below its name. An IP address has no names below it. */
function isOn(page: URL, server: URL | null): boolean {
  if (server?.protocol !== 'http:' || page.port !== server.port) return false;
  return page.hostname === server.hostname || page.hostname.endsWith(`.${server.hostname}`);
}
