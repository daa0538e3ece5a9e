import { Fault, quote } from './fault.ts';

const RESERVED_NAMES: ReadonlySet<string> = new Set(
  (
    'set-cookie set-cookie2 basic-auth status location content-length content-encoding content-range ' +
    'accept-ranges etag last-modified date age server host connection keep-alive te trailer transfer-encoding ' +
    'upgrade alt-svc www-authenticate retry-after x-request-id x-content-type-options service-worker-allowed ' +
    'access-control-allow-credentials'
  ).split(' '),
);
const RESERVED_PREFIX = /^(?:proxy-|sec-|ratelimit)/;

/** Proxies in front of Berth act on these: they send a local file, fetch another URL, or stop using this server. */
const PROXY_PREFIX = /^x-(?:accel-|sendfile|send-file|lighttpd-|reproxy-|litespeed-|lsadc-|envoy-)/;

/** Whether a header is reserved for the service: no rule sets or removes it. Source: serving S35. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIX.test(lower) || PROXY_PREFIX.test(lower);
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Why rules cannot set or remove a header of this name; `null` if they can. Source: serving S34, S35. */
export function nameFault(name: string): Fault | null {
  if (name === '') return new Fault('the header name is missing; write Name: value');
  if (!TOKEN.test(name)) return new Fault('a header name must consist of letters, digits and -, as in X-Frame-Options');
  if (isReservedHeader(name)) return new Fault(`${quote(name)} is reserved for the service`);
  return null;
}

/** Why a text cannot be the value of a header; `null` if it can. Source: serving S34. */
export function valueFault(value: string): Fault | null {
  if (value === '') return new Fault('the value is missing; write Name: value, or ! Name to remove a header');
  if (!PRINTABLE.test(value))
    return new Fault('a header value must be printable ASCII: letters, digits, punctuation and spaces');
  return null;
}

const CACHING_WORDS: ReadonlySet<string> = new Set(['cache', 'cdn', 'edge', 'surrogate', 'expires', 'pragma', 'ttl']);

/**
 * Whether a header controls the caches of some product, judged by the words of its name, as in `CDN-Cache-Control`,
 * `Surrogate-Key` or `Edge-Control`.
 *
 * @param name In lower case.
 */
function isCachingHeader(name: string): boolean {
  return name.split(/[^a-z\d]/).some((word) => CACHING_WORDS.has(word));
}

/**
 * Whether the responses of a site omit a header that a rule may set.
 *
 * @param name In lower case. Source: serving S35.
 */
export function isDroppedHeader(
  name: string,
  site: { onPlatformDomain: boolean; anonymous: boolean; isProtected: boolean },
): boolean {
  if (name === 'clear-site-data' || name === 'strict-transport-security') return site.onPlatformDomain;
  if (name === 'x-robots-tag') return site.anonymous || site.isProtected;
  return site.isProtected && (isCachingHeader(name) || name.startsWith('access-control-'));
}
