import { DEPLOYMENT_ID } from '@berth/contract';
import type { SiteAddress } from '@berth/core/sites';

/** The parts of a request that decide its destination, as the parser of node:http left them. */
export interface RequestHead {
  method: string;
  /** The request target: a path, `*`, or a whole URL. */
  target: string;
  /** Alternating names and values; unlike `headers`, it keeps repeated headers. */
  rawHeaders: readonly string[];
}

/** The names that this service answers to, in lower case, without ports. */
export interface HostNames {
  /** The hosts of the API and the console. */
  apiHosts: ReadonlySet<string>;
  /** The domain below which sites are. */
  platformDomain: string;
}

/** Where a request goes. `path` and `query` (from `?` on, or empty) are the input of further routing. */
export type HostMatch =
  /** 400: the host of the request is ambiguous. */
  | { kind: 'invalid'; reason: string }
  | { kind: 'api'; host: string; path: string; query: string }
  /** A name that can be that of a site; whether the site exists is not known here. `host` is the name, normalised. */
  | { kind: 'site'; host: string; address: SiteAddress; path: string; query: string }
  /** 404: not a host of this service. */
  | { kind: 'unknown'; host: string; path: string; query: string };

const MAX_NAME_LENGTH = 253;
const HOST_NAME = /^[A-Za-z0-9.-]+$/;
const PORT = /:\d{0,5}$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** The label of a platform domain. Source: api §4. */
const CHOSEN_NAME = /^(?!-)[a-z0-9-]{3,63}(?<!-)$/;
/** At least two labels, and the last one is not a number: neither a single label nor an IP address. */
const CUSTOM_DOMAIN = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!\d+$)(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/**
 * How many `Host` headers are cached with their meaning. A full cache is emptied, because clients can send any number
 * of names.
 */
const MAX_CACHED_HOSTS = 20_000;

/** What a `Host` header means. */
type KnownHost = { kind: 'api' | 'unknown'; host: string } | { kind: 'site'; host: string; address: SiteAddress };

/**
 * Creates the function that decides whether a request goes to the API, to a site or nowhere.
 *
 * Only the one `Host` header and the request target count: forwarding headers never choose a site. An absolute target
 * must name the same host and is reduced to its path. `<id>.{platform_domain}` is a deployment, any other label there
 * is a platform domain, and any other name except those of the API can be a custom domain.
 *
 * Source: serving S3, S4; security F9, T11, T31; RFC 9112 §3.2.
 */
export function createHostMatcher(names: HostNames): (head: RequestHead) => HostMatch {
  const cached = new Map<string, KnownHost>();

  function matchAuthority(authority: string): KnownHost | null {
    const known = cached.get(authority);
    if (known) return known;
    const host = readHostName(authority);
    if (host === null) return null;
    const classified = classifyHost(host, names);
    if (cached.size >= MAX_CACHED_HOSTS) cached.clear();
    cached.set(authority, classified);
    return classified;
  }

  return (head) => {
    const authority = findHost(head.rawHeaders);
    if (typeof authority !== 'string') return authority;
    const match = matchAuthority(authority);
    if (match === null) return invalid('The Host header must be a valid host name.');
    const target = readTarget(head, match.host);
    if (target === null)
      return invalid('The request target must be a path, or a URL with the host of the Host header.');
    const queryAt = target.indexOf('?');
    const path = queryAt < 0 ? target : target.slice(0, queryAt);
    const query = queryAt < 0 ? '' : target.slice(queryAt);
    return { ...match, path, query };
  };
}

/** The value of the one `Host` header, or the error when it is missing or repeated. */
function findHost(rawHeaders: readonly string[]): string | HostMatch {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (found !== undefined) return invalid('A request must have one Host header, not several.');
    found = rawHeaders[i + 1]!;
  }
  return found ?? invalid('A request needs a Host header.');
}

function classifyHost(host: string, { apiHosts, platformDomain }: HostNames): KnownHost {
  if (apiHosts.has(host)) return { kind: 'api', host };
  const address = addressOf(host, platformDomain);
  return address ? { kind: 'site', host, address } : { kind: 'unknown', host };
}

function addressOf(host: string, platformDomain: string): SiteAddress | null {
  if (host === platformDomain) return null;
  if (!host.endsWith(`.${platformDomain}`)) return CUSTOM_DOMAIN.test(host) ? { domain: host } : null;
  const label = host.slice(0, -platformDomain.length - 1);
  if (DEPLOYMENT_ID.test(label)) return { deployment: label };
  return CHOSEN_NAME.test(label) ? { domain: host } : null;
}

function invalid(reason: string): HostMatch {
  return { kind: 'invalid', reason };
}

/** The name in lower case, without port and one trailing dot; `null` when it is not valid. */
function readHostName(authority: string): string | null {
  const name = authority.replace(PORT, '').replace(/\.$/, '');
  return name.length <= MAX_NAME_LENGTH && HOST_NAME.test(name) ? name.toLowerCase() : null;
}

/** The target as a path with its query. `*` asks about the server as a whole and counts as `/`. */
function readTarget({ method, target }: RequestHead, host: string): string | null {
  if (target.startsWith('/')) return target;
  if (target === '*') return method === 'OPTIONS' ? '/' : null;
  const [, authority, rest] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined || rest === undefined || readHostName(authority) !== host) return null;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
