import type { Coding, CompressedForms } from './site.ts';

/** All codings, in the order in which we prefer to send them. */
const BY_RANK: readonly Coding[] = ['br', 'zstd', 'gzip'];

const ELEMENT = /^[ \t]*([^\s;]+)[ \t]*(?:;[ \t]*q=([\d.]*)[ \t]*)?$/i;
const WEIGHT = /^(?:0?\.\d+|0\.?|1\.?0*)$/;

/** A longer header is ignored: those of real clients are much shorter, and reading one takes time on every request. */
const MAX_LENGTH = 1024;
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 256;
const cache = new Map<string, readonly Coding[]>();

/**
 * Chooses the coding of a response.
 *
 * The highest weight wins; at equal weights the order is br, zstd, gzip, identity. Identity comes last if the header does not name
 * it. Elements of the header that cannot be parsed are ignored.
 *
 * @param acceptEncoding The header as sent.
 * @param offered The compressed forms that are ready.
 * @returns `null` for the uncompressed content: if there is no header, it has more than 1,024 characters, or no offered coding is acceptable. Never results in a 406.
 * Source: RFC 9110 §12.5.3; serving S49.
 */
export function chooseCoding(acceptEncoding: string | undefined, offered: CompressedForms | undefined): Coding | null {
  if (acceptEncoding === undefined || acceptEncoding.length > MAX_LENGTH || offered === undefined) return null;
  for (const coding of preferencesOf(acceptEncoding)) if (offered[coding] !== undefined) return coding;
  return null;
}

/**
 * The codings that a header prefers to identity, best first. Browsers send only a few different headers, so the results are
 * cached. A client that sends invented headers makes others parse theirs again in at most one of {@link MAX_CACHED} of its requests.
 */
function preferencesOf(header: string): readonly Coding[] {
  const known = cache.get(header);
  if (known) return known;
  const preferences = readPreferences(header);
  if (header.length <= MAX_CACHED_LENGTH) {
    if (cache.size >= MAX_CACHED) cache.clear();
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

/** The weight of each coding in a header, in lower case. The first occurrence counts. */
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
