import { DEPLOYMENT_ID } from '@berth/contract';
import type { SiteAddress } from '@berth/core';

/** What a request says about where it wants to go, as the parser of node:http left it. */
export interface RequestHead {
  method: string;
  /** The request target: a path, `*`, or a whole URL. */
  target: string;
  /** Names and values by turns; unlike `headers` it keeps what was sent twice. */
  rawHeaders: readonly string[];
}

/** The names this service answers to, in lower case, without ports. */
export interface HostNames {
  /** The hosts of the API and the console. */
  apiHosts: ReadonlySet<string>;
  /** The domain under which sites live. */
  platformDomain: string;
}

/** Where a request goes. `path` and `query` (from `?` on, or empty) are what is to be routed on. */
export type HostAnswer =
  /** 400: nobody can say which host was meant. */
  | { kind: 'invalid'; reason: string }
  | { kind: 'api'; path: string; query: string }
  /** A name that can be a site's; whether there is one is not known here. `host` is the name, normalised. */
  | { kind: 'site'; host: string; address: SiteAddress; path: string; query: string }
  /** 404: no host of ours. */
  | { kind: 'unknown'; host: string; path: string; query: string };

const MAX_NAME_LENGTH = 253;
const HOST_NAME = /^[A-Za-z0-9.-]+$/;
const PORT = /:\d{0,5}$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;
/** The one label of a platform domain. Source: contract §4. */
const CHOSEN_NAME = /^(?!-)[a-z0-9-]{3,63}(?<!-)$/;
/** At least two labels, the last of which is no number: neither a lone name nor an IP address. */
const CUSTOM_DOMAIN = /^(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!\d+$)(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * Picks API, site or neither for a request, once.
 *
 * Only the one `Host` header and the request target count: forwarding headers never choose a site. An absolute target has
 * to name the same host and is reduced to its path. `<id>.{platform_domain}` is a deployment, another label there a platform
 * domain, and any other name that is not the API's can be a custom domain.
 *
 * Source: serving S3, S4; security F9, T11, T31; RFC 9112 §3.2.
 */
export function whichHost(head: RequestHead, { apiHosts, platformDomain }: HostNames): HostAnswer {
  const hosts = head.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]!.toLowerCase() === 'host');
  if (hosts.length !== 1)
    return invalid(
      hosts.length === 0 ? 'A request needs a Host header.' : 'A request has one Host header, not several.',
    );
  const host = readHostName(hosts[0]!);
  if (host === null) return invalid('The Host header is not the name of a host.');

  const target = readTarget(head, host);
  if (target === null) return invalid('The request target is not a path, or names another host than the Host header.');

  const place = placeOf(target);
  if (apiHosts.has(host)) return { kind: 'api', ...place };
  const address = addressOf(host, platformDomain);
  return address ? { kind: 'site', host, address, ...place } : { kind: 'unknown', host, ...place };
}

function addressOf(host: string, platformDomain: string): SiteAddress | null {
  if (host === platformDomain) return null;
  if (!host.endsWith(`.${platformDomain}`)) return CUSTOM_DOMAIN.test(host) ? { domain: host } : null;
  const label = host.slice(0, -platformDomain.length - 1);
  if (DEPLOYMENT_ID.test(label)) return { deployment: label };
  return CHOSEN_NAME.test(label) ? { domain: host } : null;
}

function invalid(reason: string): HostAnswer {
  return { kind: 'invalid', reason };
}

/** The name in lower case, without port and one trailing dot; `null` when it cannot be one. */
function readHostName(authority: string): string | null {
  const name = authority.replace(PORT, '').replace(/\.$/, '');
  return name.length <= MAX_NAME_LENGTH && HOST_NAME.test(name) ? name.toLowerCase() : null;
}

/** The target as a path with its query. `*` asks about the server as a whole, which is what its front page answers. */
function readTarget({ method, target }: RequestHead, host: string): string | null {
  if (target.startsWith('/')) return target;
  if (target === '*') return method === 'OPTIONS' ? '/' : null;
  const [, authority, rest] = ABSOLUTE_FORM.exec(target) ?? [];
  if (authority === undefined || rest === undefined || readHostName(authority) !== host) return null;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function placeOf(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark) };
}
