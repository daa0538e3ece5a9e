const ONE_VALUE: ReadonlySet<string> = new Set(
  (
    'content-type content-disposition content-location x-frame-options referrer-policy origin-agent-cluster ' +
    'strict-transport-security access-control-allow-origin access-control-max-age cross-origin-opener-policy ' +
    'cross-origin-embedder-policy cross-origin-resource-policy x-xss-protection x-dns-prefetch-control ' +
    'x-permitted-cross-domain-policies x-ua-compatible x-download-options expires refresh sourcemap'
  ).split(' '),
);
const DIRECTIVES = /(?:^|-)(?:cache-control|surrogate-control)$/;

/**
 * How the values that several lines of `_headers` give to one header make up its value. `name` is in lower case.
 *
 * - `one`: the last value replaces the others, because the header has only one.
 * - `directives`: the values of one block are joined, and replace those of earlier blocks, which may contradict them.
 * - `list`: all values are joined.
 *
 * Source: serving S33.
 */
export function valueKindOf(name: string): 'one' | 'directives' | 'list' {
  if (ONE_VALUE.has(name)) return 'one';
  return DIRECTIVES.test(name) ? 'directives' : 'list';
}
