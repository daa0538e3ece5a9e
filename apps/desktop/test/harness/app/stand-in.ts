/** Below it, each host of the app's own scheme has an `https:` origin: a plain Chromium knows no other scheme with an origin. */
const TOP = '.stand-in.test';

/** The address by which Chromium asks for a page of the app. @throws TypeError when there is none. */
export function standInOf(address: string): string {
  const { protocol, host, pathname, search, hash } = new URL(address);
  return `https://${host}.${protocol.slice(0, -1)}${TOP}${pathname}${search}${hash}`;
}

/** The page of the app that an address stands for; `null` when it is another one. */
export function addressBehind(standIn: string): string | null {
  const { hostname, pathname, search, hash } = new URL(standIn);
  if (!hostname.endsWith(TOP)) return null;
  const [scheme, ...host] = hostname.slice(0, -TOP.length).split('.').toReversed();
  return `${scheme}://${host.toReversed().join('.')}${pathname}${search}${hash}`;
}
