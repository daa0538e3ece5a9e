import type { Coding, CompressedForms } from './site.ts';

/** All there are, the one we would rather send first. */
const BY_RANK: readonly Coding[] = ['br', 'zstd', 'gzip'];

const ELEMENT = /^[ \t]*([^\s;]+)[ \t]*(?:;[ \t]*q=([\d.]*)[ \t]*)?$/i;
const WEIGHT = /^(?:0?\.\d+|0\.?|1\.?0*)$/;

const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 256;
const remembered = new Map<string, readonly Coding[]>();

/**
 * Chooses how a content is compressed on its way.
 *
 * The highest weight wins; at equal weights br, zstd, gzip, identity. An identity that is not named comes last. What cannot
 * be read of the header counts as not said.
 *
 * @param acceptEncoding The header as sent.
 * @param offered The forms that are ready.
 * @returns `null` for the content as it is: without a header, and when nothing that is offered fits. Never a reason for 406.
 * Source: RFC 9110 §12.5.3; serving S49.
 */
export function chooseCoding(acceptEncoding: string | undefined, offered: CompressedForms | undefined): Coding | null {
  if (acceptEncoding === undefined || offered === undefined) return null;
  for (const coding of preferencesOf(acceptEncoding)) if (offered[coding] !== undefined) return coding;
  return null;
}

/**
 * The codings that a header prefers to identity, best first. Browsers send a handful of headers, so these are remembered;
 * a client that makes up others costs the rest one reading in every {@link MAX_REMEMBERED} of its requests.
 */
function preferencesOf(header: string): readonly Coding[] {
  const known = remembered.get(header);
  if (known) return known;
  const preferences = readPreferences(header);
  if (header.length <= MAX_REMEMBERED_LENGTH) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(header, preferences);
  }
  return preferences;
}

function readPreferences(header: string): readonly Coding[] {
  const weights = readWeights(header);
  const weightOf = (coding: string, unsaid: number) => weights.get(coding) ?? weights.get('*') ?? unsaid;
  const identity = weightOf('identity', 0);
  return BY_RANK.map((coding) => ({ coding, weight: weightOf(coding, 0) }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ coding }) => coding);
}

/** What a header says of each coding, in lower case; the first time counts. */
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
