const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'set-cookie',
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
  'x-sendfile',
  'service-worker-allowed',
  'access-control-allow-credentials',
]);
const RESERVED_PREFIXES = ['x-accel-', 'proxy-', 'sec-', 'ratelimit'];

/** Whether a header is the service's own, which no rule sets or removes. Source: serving S35. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_NAMES.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

/**
 * Whether a header that a rule may set counts for nothing in an answer.
 *
 * @param name In lower case. Source: serving S35.
 */
export function isDroppedHeader(
  name: string,
  site: { onPlatformDomain: boolean; anonymous: boolean; isProtected: boolean },
): boolean {
  if (name === 'clear-site-data' || name === 'strict-transport-security') return site.onPlatformDomain;
  if (name === 'x-robots-tag') return site.anonymous || site.isProtected;
  return site.isProtected && (name === 'cache-control' || name.startsWith('access-control-'));
}
