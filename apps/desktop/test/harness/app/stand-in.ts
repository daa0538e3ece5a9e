/** Parent domain of the `https:` origins that replace origins of the app's scheme, which plain Chromium does not support. */
const TOP = '.stand-in.test';

/** Returns the `https:` address that replaces an address of the app. @throws TypeError if the address is invalid. */
export function standInOf(address: string): string {
  const { protocol, host, pathname, search, hash } = new URL(address);
  return `https://${host}.${protocol.slice(0, -1)}${TOP}${pathname}${search}${hash}`;
}

/** Returns the app's address that an `https:` address replaces; `null` if it replaces none. */
export function addressBehind(standIn: string): string | null {
  const { hostname, pathname, search, hash } = new URL(standIn);
  if (!hostname.endsWith(TOP)) return null;
  const [scheme, ...host] = hostname.slice(0, -TOP.length).split('.').toReversed();
  return `${scheme}://${host.toReversed().join('.')}${pathname}${search}${hash}`;
}
