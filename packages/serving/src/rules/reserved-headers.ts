const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'basic-auth',
  'status',
  'location',
  'content-length',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
  'date',
  'age',
  'server',
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'alt-svc',
  'www-authenticate',
  'retry-after',
  'x-request-id',
  'x-content-type-options',
  'service-worker-allowed',
  'access-control-allow-credentials',
]);
const RESERVED_PREFIXES = ['proxy-', 'sec-', 'ratelimit'];

/** Proxies in front of Berth act on these: they send a local file, fetch another URL, or stop using this server. */
const PROXY_PREFIXES = [
  'x-accel-',
  'x-sendfile',
  'x-send-file',
  'x-lighttpd-',
  'x-reproxy-',
  'x-litespeed-',
  'x-lsadc-',
  'x-envoy-',
];

/** Whether a header is reserved for the service: no rule sets or removes it. Source: serving S35. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  const startsWith = (prefix: string) => lower.startsWith(prefix);
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some(startsWith) || PROXY_PREFIXES.some(startsWith);
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
