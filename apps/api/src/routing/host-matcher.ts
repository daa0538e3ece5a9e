import { DEPLOYMENT_ID } from '@berth/contract';
import type { SiteAddress } from '@berth/core/sites';

/** The parts of a request that decide its destination, as node:http parsed them. */
interface RequestHead {
  method: string;
  /** The request target: a path, `*`, or a whole URL. */
  target: string;
  /** Alternating names and values of all headers, including repeated headers. */
  rawHeaders: readonly string[];
}

/** The names of this service, in lower case, without ports. */
export interface HostNames {
  apiHosts: ReadonlySet<string>;
  /** Sites have names below this domain. */
  platformDomain: string;
}

/**
 * The destination of a request. `invalid` means an ambiguous host; `unknown` means a host that is not of this service.
 * `host` is in lower case, without a port. `query` is empty or begins with `?`.
 */
export type HostMatch = { kind: 'invalid'; reason: string } | (KnownHost & { path: string; query: string });

const MAX_NAME_LENGTH = 253;
const HOST_NAME = /^[A-Za-z0-9.-]+$/;
const PORT_SUFFIX = /:\d{0,5}$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** Matches the label of a platform domain. Source: api §4. */
const CHOSEN_NAME = /^(?!-)[a-z0-9-]{3,63}(?<!-)$/;
/** Matches names of at least two labels, except IP addresses: the last label must not be a number. */
const CUSTOM_DOMAIN = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!\d+$)(?!-)[a-z0-9-]{1,63}(?<!-)$/;
/** The cache of host names is emptied when it has this many, because clients can send any number of names. */
const MAX_CACHED_HOSTS = 20_000;

/** The meaning of a `Host` header. A site need not exist. */
type KnownHost = { kind: 'api' | 'unknown'; host: string } | SiteHostName;
interface SiteHostName {
  kind: 'site';
  /** In lower case, without a port. */
  host: string;
  address: SiteAddress;
}

export interface HostMatcher {
  /** Decides where a request goes. */
  match(head: RequestHead): HostMatch;
  /** Returns the site for a `Host` header and a target that begins with `/`; `null` for everything else. */
  matchSite(authority: string, target: string): (SiteHostName & { path: string; query: string }) | null;
}

/**
 * Creates what decides whether a request goes to the API, to a site or nowhere. It uses only the `Host`
 * header and the request target, never forwarding headers. A target that is a URL must name the same host; the result
 * has its path. `<id>.{platform_domain}` is a deployment, any other label below `{platform_domain}` is a platform
 * domain, and any other name except the names of the API can be a custom domain. Source: serving S3, S4; security F9,
 * T11, T31; RFC 9112 §3.2.
 */
export function createHostMatcher(names: HostNames): HostMatcher {
  const cached = new Map<string, KnownHost>();

  function matchAuthority(authority: string): KnownHost | null {
    const cachedMatch = cached.get(authority);
    if (cachedMatch) return cachedMatch;
    const host = readHostName(authority);
    if (host === null) return null;
    const classified = classifyHost(host, names);
    if (cached.size >= MAX_CACHED_HOSTS) cached.clear();
    cached.set(authority, classified);
    return classified;
  }

  return {
    match(head) {
      const authority = findHost(head.rawHeaders);
      if (typeof authority !== 'string') return authority;
      const match = matchAuthority(authority);
      if (match === null) return invalid('The Host header must be a valid host name.');
      const target = readTarget(head, match.host);
      if (target === null)
        return invalid('The request target must be a path, or a URL with the host of the Host header.');
      return { ...match, ...splitTarget(target) };
    },
    matchSite(authority, target) {
      const match = matchAuthority(authority);
      return match?.kind === 'site' ? { ...match, ...splitTarget(target) } : null;
    },
  };
}

function splitTarget(target: string): { path: string; query: string } {
  const queryAt = target.indexOf('?');
  return queryAt < 0 ? { path: target, query: '' } : { path: target.slice(0, queryAt), query: target.slice(queryAt) };
}

/** Returns the value of the `Host` header, or the error if the header is missing or repeated. */
function findHost(rawHeaders: readonly string[]): string | HostMatch {
  let foundHost: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (foundHost !== undefined) return invalid('A request must have one Host header, not several.');
    foundHost = rawHeaders[i + 1]!;
  }
  return foundHost ?? invalid('A request needs a Host header.');
}

function classifyHost(host: string, { apiHosts, platformDomain }: HostNames): KnownHost {
  if (apiHosts.has(host)) return { kind: 'api', host };
  const address = siteAddressOf(host, platformDomain);
  return address ? { kind: 'site', host, address } : { kind: 'unknown', host };
}

/** Returns the address that a host name in lower case can have as a site; `null` if it can have none. */
export function siteAddressOf(host: string, platformDomain: string): SiteAddress | null {
  if (host === platformDomain) return null;
  if (!host.endsWith(`.${platformDomain}`)) return CUSTOM_DOMAIN.test(host) ? { domain: host } : null;
  const label = host.slice(0, -platformDomain.length - 1);
  if (DEPLOYMENT_ID.test(label)) return { deployment: label };
  return CHOSEN_NAME.test(label) ? { domain: host } : null;
}

function invalid(reason: string): HostMatch {
  return { kind: 'invalid', reason };
}

/** Returns the name in lower case, without a port and without one trailing dot; `null` for an invalid name. */
function readHostName(authority: string): string | null {
  const name = authority.replace(PORT_SUFFIX, '').replace(/\.$/, '');
  return name.length <= MAX_NAME_LENGTH && HOST_NAME.test(name) ? name.toLowerCase() : null;
}

/** Returns the path and query of a request target, or `null` for an invalid target. `*` counts as `/`. */
function readTarget({ method, target }: RequestHead, host: string): string | null {
  if (target.startsWith('/')) return target;
  if (target === '*') return method === 'OPTIONS' ? '/' : null;
  const [, authority, rest] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined || rest === undefined || readHostName(authority) !== host) return null;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
