import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The networks whose forwarding headers count. */
export type TrustedProxies = readonly [network: Address, prefixBits: number][];

const CIDR = /^(.+)\/(\d{1,3})$/;
const IPV6_PREFIX_BITS = 64;

/**
 * Reads a list of addresses and networks, such as `127.0.0.1` and `10.0.0.0/8`.
 *
 * @throws Error naming the first entry that is neither. Source: contract §10 (`TRUST_PROXY`); security T12.
 */
export function parseTrustedProxies(list: readonly string[]): TrustedProxies {
  return list.map((entry) => {
    const [, network = entry, bits] = CIDR.exec(entry) ?? [];
    const address = parseAddress(network);
    const width = address?.kind() === 'ipv4' ? 32 : 128;
    const prefixBits = bits === undefined ? width : Number(bits);
    if (!address || prefixBits > width) throw new Error(`"${entry}" is not an address or a network such as 10.0.0.0/8`);
    return [address, prefixBits];
  });
}

/** True for the address of a proxy whose word counts. */
export function isTrusted(address: string | undefined, proxies: TrustedProxies): boolean {
  const parsed = parseAddress(address ?? '');
  return parsed !== null && trusts(proxies, parsed);
}

/**
 * The address of the client: the socket's, or, when that is a trusted proxy, the right-most hop of `X-Forwarded-For` that
 * is not one.
 *
 * Never what a client could make up: hops are believed from right to left, each by the one that wrote it down, up to the
 * first that is not an address.
 *
 * @returns The address; IPv6 as its /64, such as `2001:db8:0:1::/64`, since a client owns all of it. Empty when the
 *   connection is gone. Source: security T12; contract §7.
 */
export function clientAddress(req: IncomingMessage, proxies: TrustedProxies): string {
  let client = parseAddress(req.socket.remoteAddress ?? '');
  const forwarded = req.headers['x-forwarded-for'];
  const hops = String(forwarded ?? '').split(',');
  while (client && trusts(proxies, client) && hops.length > 0) {
    const hop = parseAddress(hops.pop()!.trim());
    if (!hop) break;
    client = hop;
  }
  return client ? format(client) : '';
}

/** The network that stands for one client: an IPv4 address, or the /64 of an IPv6 one. Empty for no address. */
export function clientNetwork(address: string | undefined): string {
  const parsed = parseAddress(address ?? '');
  return parsed ? format(parsed) : '';
}

/** Strict: four decimal parts or IPv6. IPv4 in IPv6 clothes is IPv4. */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 ? null : ipaddr.process(text);
}

function trusts(proxies: TrustedProxies, address: Address): boolean {
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
