import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type TrustedProxies = readonly [network: Address, prefixBits: number][];

const IPV6_PREFIX_BITS = 64;

/** The parts of a request that decide whose it is. */
export interface ForwardedRequest {
  socket: Socket;
  headers: NodeJS.Dict<string | string[]>;
}

/**
 * Parses addresses and networks, such as `127.0.0.1` and `10.0.0.0/8`. The configuration has already checked them.
 * Source: api §10; security T12.
 */
export function parseTrustedProxies(list: readonly string[]): TrustedProxies {
  return list.map((entry) =>
    ipaddr.parseCIDR(entry.includes('/') ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`),
  );
}

export function isTrusted(address: string | undefined, proxies: TrustedProxies): boolean {
  const parsedAddress = parseAddress(address ?? '');
  return parsedAddress !== null && includesAddress(proxies, parsedAddress);
}

/**
 * Returns the address of the client: the address of the socket, or, behind trusted proxies, the right-most hop of
 * `X-Forwarded-For` that is not a trusted proxy. Clients cannot forge it, because hops are read from right to left and
 * a hop counts only if a trusted proxy wrote it. A hop that is not an address stops the search.
 *
 * @returns An IPv4 address, or the /64 of an IPv6 address, such as `2001:db8:0:1::/64`, because one client owns all of
 *   a /64. Empty when the connection is closed. Source: security T12; api §7.
 */
export function clientAddress(req: ForwardedRequest, proxies: TrustedProxies): string {
  let client = parseAddress(req.socket.remoteAddress ?? '');
  const forwardedFor = req.headers['x-forwarded-for'];
  const hops = String(forwardedFor ?? '').split(',');
  while (client && includesAddress(proxies, client) && hops.length > 0) {
    const lastHop = parseAddress(hops.pop()!.trim());
    if (!lastHop) break;
    client = lastHop;
  }
  return client ? format(client) : '';
}

type AddressedSocket = Socket & Record<symbol, string | undefined>;

/** The results for this many forwarding headers are kept. */
const MAX_FORWARDED = 10_000;
const MAX_FORWARDED_LENGTH = 64;

/**
 * Returns a faster {@link clientAddress}, which computes the address of a connection only once. For requests with a
 * forwarding header it keeps the results for the last few thousand headers.
 */
export function createAddressReader(proxies: TrustedProxies): (req: ForwardedRequest) => string {
  const address = Symbol('address of the client');
  const ofForwarded = new Map<string, string>();

  function readForwarded(req: ForwardedRequest, forwardedFor: string): string {
    if (forwardedFor.length > MAX_FORWARDED_LENGTH) return clientAddress(req, proxies);
    const key = `${req.socket.remoteAddress} ${forwardedFor}`;
    let address = ofForwarded.get(key);
    if (address === undefined) {
      address = clientAddress(req, proxies);
      if (ofForwarded.size >= MAX_FORWARDED) ofForwarded.clear();
      ofForwarded.set(key, address);
    }
    return address;
  }

  return (req) => {
    const forwardedFor = proxies.length === 0 ? undefined : req.headers['x-forwarded-for'];
    if (forwardedFor !== undefined) return readForwarded(req, String(forwardedFor));
    return ((req.socket as AddressedSocket)[address] ??= clientAddress(req, proxies));
  };
}

/** Returns what identifies a client: an IPv4 address, or the /64 of an IPv6 address. Empty for no address. */
export function clientNetwork(address: string | undefined): string {
  const parsed = parseAddress(address ?? '');
  return parsed ? format(parsed) : '';
}

/** Parses four decimal parts, or IPv6. IPv4-mapped IPv6 addresses count as IPv4. */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text);
}

function includesAddress(proxies: TrustedProxies, address: Address): boolean {
  return proxies.some(
    ([network, prefixBits]) => network.kind() === address.kind() && address.match(network, prefixBits),
  );
}

function format(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const network = ipaddr.IPv6.networkAddressFromCIDR(
    `${address.toNormalizedString().replace(/%.*/, '')}/${IPV6_PREFIX_BITS}`,
  );
  return `${network.toRFC5952String()}/${IPV6_PREFIX_BITS}`;
}
