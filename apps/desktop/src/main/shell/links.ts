/**
 * Which address may be opened in the browser: `https:` anywhere, `http:` on the known servers and the sites below their names
 * alone, and neither with a user name or a password in it.
 *
 * @param servers Origins of the known servers.
 * @returns The address, parsed; `null` when it is not to be opened. Source: design of the desktop app, §6.
 */
export function mayOpen(url: string, servers: readonly string[]): URL | null {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hostname === '') return null;
  if (parsed.protocol === 'https:') return parsed;
  // The origin of what is not http is the string `null`: protocol and host are compared, never origins.
  return parsed.protocol === 'http:' && servers.some((server) => isOn(parsed, URL.parse(server))) ? parsed : null;
}

/**
 * The address of a page, parsed. The system starts whatever program an address of another kind belongs to.
 *
 * @throws Error when it is not `http:` or `https:`. Source: security S6.
 */
export function webAddressOf(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed;
  throw new Error('Only http and https addresses are opened in the browser.');
}

/** Whether a page is on a server that speaks `http:`, or on a site below its name. Below an address of numbers there are no names. */
function isOn(page: URL, server: URL | null): boolean {
  if (server?.protocol !== 'http:' || page.port !== server.port) return false;
  return page.hostname === server.hostname || page.hostname.endsWith(`.${server.hostname}`);
}
