import type { Coding, CompressedForms } from './site.ts';

/** All codings, in the order of preference. */
const BY_RANK: readonly Coding[] = ['br', 'zstd', 'gzip'];

const ELEMENT = /^[ \t]*([^\s;]+)[ \t]*(?:;[ \t]*q=([\d.]*)[ \t]*)?$/i;
const WEIGHT = /^(?:0?\.\d+|0\.?|1\.?0*)$/;

/** A longer `Accept-Encoding` is ignored. The headers of real clients are much shorter, and parsing a long header is slow. */
const MAX_LENGTH = 1024;
const MAX_CACHED_HEADERS = 256;
const MAX_CACHED_LENGTH = 256;
const cache = new Map<string, readonly Coding[]>();

/**
 * Chooses the coding of a response. The highest weight wins; at equal weights the order is br, zstd, gzip, identity. If the
 * header does not name identity, every acceptable coding is preferred to identity. Invalid elements of the header are ignored.
 *
 * @param acceptEncoding The header as sent.
 * @param offered The compressed forms that are ready.
 * @returns `null` for the uncompressed content: if the header is absent or has more than 1,024 characters, or if no offered
 *   coding is acceptable. Source: RFC 9110 §12.5.3; serving S49.
 */
export function chooseCoding(acceptEncoding: string | undefined, offered: CompressedForms | undefined): Coding | null {
  if (acceptEncoding === undefined || acceptEncoding.length > MAX_LENGTH || offered === undefined) return null;
  for (const coding of preferencesOf(acceptEncoding)) if (offered[coding] !== undefined) return coding;
  return null;
}

/** Returns the codings that a header prefers to identity, best first. Caches them, because browsers send few different headers. */
function preferencesOf(header: string): readonly Coding[] {
  const cached = cache.get(header);
  if (cached) return cached;
  const preferences = readPreferences(header);
  if (header.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHED_HEADERS) cache.clear();
    cache.set(header, preferences);
  }
  return preferences;
}

function readPreferences(header: string): readonly Coding[] {
  const weights = readWeights(header);
  const weightOf = (coding: string, fallback: number) => weights.get(coding) ?? weights.get('*') ?? fallback;
  const identity = weightOf('identity', 0);
  return BY_RANK.map((coding) => ({ coding, weight: weightOf(coding, 0) }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ coding }) => coding);
}

/** Returns the weight of each coding in a header, by the name of the coding in lower case. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [, name, weight = '1'] = ELEMENT.exec(element) ?? [];
    if (name === undefined || !WEIGHT.test(weight)) continue;
    const coding = name.toLowerCase().replace(/^x-gzip$/, 'gzip');
    if (!weights.has(coding)) weights.set(coding, Number(weight));
  }
  return weights;
}
