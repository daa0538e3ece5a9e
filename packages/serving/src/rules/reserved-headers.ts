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

/** The headers that make a proxy in front of Berth send a local file, fetch another URL, or stop using this server. */
const PROXY_PREFIX = /^x-(?:accel-|sendfile|send-file|lighttpd-|reproxy-|litespeed-|lsadc-|envoy-)/;

/** Whether a header is reserved for the service, so that no rule sets or removes it. Source: serving S35. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIX.test(lower) || PROXY_PREFIX.test(lower);
}

/** Whether every response of a site has this header with this value, so that a rule that sets it changes nothing. Source: serving S35, S52. */
export function isAlwaysSent(name: string, value: string): boolean {
  return name.toLowerCase() === 'x-content-type-options' && value.toLowerCase() === 'nosniff';
}

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PRINTABLE_TEXT = /^[\x20-\x7e]+$/;

/** Returns why rules cannot set or remove a header of this name; `null` if they can. Source: serving S34, S35. */
export function nameFault(name: string): Fault | null {
  if (name === '') return new Fault('the header name is missing; write Name: value');
  if (!TOKEN.test(name)) return new Fault('a header name must consist of letters, digits and -, as in X-Frame-Options');
  if (isReservedHeader(name)) return new Fault(`${quote(name)} is reserved for the service`);
  return null;
}

/** Returns why a text cannot be the value of a header; `null` if it can. Source: serving S34. */
export function valueFault(value: string): Fault | null {
  if (value === '') return new Fault('the value is missing; write Name: value, or ! Name to remove a header');
  if (!PRINTABLE_TEXT.test(value))
    return new Fault('a header value must be printable ASCII: letters, digits, punctuation and spaces');
  return null;
}

const CACHING_WORDS: ReadonlySet<string> = new Set(['cache', 'cdn', 'edge', 'surrogate', 'expires', 'pragma', 'ttl']);

/** Whether the name of a header, in lower case, has a word of cache control, as in `cdn-cache-control` or `surrogate-key`. */
function isCachingHeader(name: string): boolean {
  return name.split(/[^a-z\d]/).some((word) => CACHING_WORDS.has(word));
}

/** Whether the responses of a site omit a header that a rule may set. `name` is in lower case. Source: serving S35. */
export function isDroppedHeader(
  name: string,
  site: { onPlatformDomain: boolean; anonymous: boolean; isProtected: boolean },
): boolean {
  if (name === 'clear-site-data' || name === 'strict-transport-security') return site.onPlatformDomain;
  if (name === 'x-robots-tag') return site.anonymous || site.isProtected;
  return site.isProtected && (isCachingHeader(name) || name.startsWith('access-control-'));
}
