import fc from 'fast-check';
import { FILE_BY_PATH, FILES, MISSING_PATHS, type SampleFile, tagOf } from './files.ts';

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

/** A random position in a content: near the start, the middle or the end. */
const position = fc.record({ fraction: fc.constantFrom(0, 0, 0.5, 1, 1), delta: fc.integer({ min: -3, max: 3 }) });
/** The meaning of a random `Range`, or a text without a meaning. The kind `last` means the last `first` bytes. */
const randomRange = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('between', 'from', 'last'), first: position, last: position }),
  },
  { weight: 1, arbitrary: fc.constantFrom('bytes=', 'bytes=1', 'bytes=0-1,3-4', 'bytes=--4', 'items=0-4', '0-4') },
);
/** A random entity tag, of the requested file or of another one. */
const tag = fc.record({
  of: fc.constantFrom('identity', 'identity', 'br', 'zstd', 'gzip', 'other'),
  weak: fc.boolean(),
});
const tags = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*' as const) },
  {
    weight: 5,
    arbitrary: fc.record({ tags: fc.array(tag, { maxLength: 3 }), separator: fc.constantFrom(',', ' ,\t', ',, ') }),
  },
);
/** Random codings with their weights. A coding without a weight has the weight 1. */
const codings = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('br', 'zstd', 'gzip', 'BR', 'x-gzip', 'identity', '*', 'deflate'),
    weight: fc.constantFrom(null, null, 0, 0.1, 0.5, 0.5, 0.999, 1),
  }),
  { selector: ({ name }) => codingOf(name), maxLength: 5 },
);
/** Headers that must not change a response. */
const IRRELEVANT_HEADERS = [
  ['If-Modified-Since', 'Fri, 31 Dec 2100 00:00:00 GMT'],
  ['If-Unmodified-Since', 'Sat, 01 Jan 2000 00:00:00 GMT'],
  ['Accept', 'image/avif'],
  ['Cookie', 'a=b'],
];
const smallTargets = Object.keys(FILE_BY_PATH).filter((target) => !target.startsWith('/large'));

/** A random value in this percentage of the cases, otherwise `null`. */
function sometimes<T>(value: fc.Arbitrary<T>, percent: number): fc.Arbitrary<T | null> {
  const noValue = { weight: 100 - percent, arbitrary: fc.constant(null) };
  return fc.oneof({ withCrossShrink: true }, noValue, { weight: percent, arbitrary: value });
}

/** Random requests of every kind, described by their meaning. Large files are rare. */
export const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  visitor: fc.constantFrom('deployment', 'deployment', 'domain', 'anonymous'),
  target: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...smallTargets) },
    { weight: 4, arbitrary: fc.constantFrom(...MISSING_PATHS) },
    { weight: 2, arbitrary: fc.constantFrom('/large.csv', '/large.mp4') },
  ),
  range: sometimes(randomRange, 40),
  /** A text that is not an entity tag is sent unchanged. */
  ifRange: sometimes(fc.oneof(tag, fc.constantFrom('Fri, 31 Dec 2100 00:00:00 GMT', '*', 'etag')), 30),
  ifMatch: sometimes(tags, 10),
  ifNoneMatch: sometimes(tags, 30),
  codings: sometimes(codings, 70),
  noise: fc.subarray(IRRELEVANT_HEADERS),
});

export type SampleRequest = Generated<typeof requests>;
export type Tag = Generated<typeof tag>;
export type RequestedTags = Generated<typeof tags>;
type Position = Generated<typeof position>;

/** Returns the file that a request finds. The anonymous site has no page for missing paths. */
export function fileOf({ visitor, target }: SampleRequest): SampleFile | undefined {
  const path = FILE_BY_PATH[target];
  return path === undefined || (visitor === 'anonymous' && path === '404.html') ? undefined : FILES[path];
}

/** Converts a position to a number, which is never below 0. */
export function toNumber({ fraction, delta }: Position, size: number): number {
  return Math.max(0, Math.round(fraction * size) + delta);
}

export function codingOf(name: string): string {
  const coding = name.toLowerCase();
  return coding === 'x-gzip' ? 'gzip' : coding;
}

export function fieldsOf(request: SampleRequest): Record<string, string> {
  const { range, ifRange, ifMatch, ifNoneMatch, codings, noise } = request;
  const file = fileOf(request) ?? FILES['404.html']!;
  const writeTag = ({ of, weak }: Tag) => {
    const strongTag = of === 'other' ? '"another,with-a-comma"' : tagOf(file, of === 'identity' ? null : of);
    return weak ? `W/${strongTag}` : strongTag;
  };
  const writeTags = (asked: RequestedTags) => (asked === '*' ? '*' : asked.tags.map(writeTag).join(asked.separator));
  const fields = {
    Range: range && writeRange(range, file.bytes.length),
    'If-Range': typeof ifRange === 'string' ? ifRange : ifRange && writeTag(ifRange),
    'If-Match': ifMatch && writeTags(ifMatch),
    'If-None-Match': ifNoneMatch && writeTags(ifNoneMatch),
    'Accept-Encoding':
      codings && codings.map(({ name, weight }) => (weight === null ? name : `${name};q=${weight}`)).join(', '),
  };
  return Object.fromEntries([...noise, ...Object.entries(fields).filter(([, value]) => value !== null)]);
}

function writeRange(range: Generated<typeof randomRange>, size: number): string {
  if (typeof range === 'string') return range;
  const [first, last] = [toNumber(range.first, size), toNumber(range.last, size)];
  return `bytes=${{ between: `${first}-${last}`, from: `${first}-`, last: `-${first}` }[range.kind]}`;
}
