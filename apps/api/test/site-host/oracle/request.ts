import fc from 'fast-check';
import { FILES, MISSING, PATHS, type SampleFile, tagOf } from './files.ts';

type Generated<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

/** A position in a content: near its start, its middle or its end. */
const position = fc.record({ fraction: fc.constantFrom(0, 0, 0.5, 1, 1), delta: fc.integer({ min: -3, max: 3 }) });
/** The meaning of a `Range`, or its text when it has no meaning. The last bytes are `first` many. */
const rangeAsked = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('between', 'from', 'last'), first: position, last: position }),
  },
  { weight: 1, arbitrary: fc.constantFrom('bytes=', 'bytes=1', 'bytes=0-1,3-4', 'bytes=--4', 'items=0-4', '0-4') },
);
/** An entity tag of the content, or of another one. */
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
/** Codings and their weights. Without a weight, a coding has the maximum. */
const codings = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('br', 'zstd', 'gzip', 'BR', 'x-gzip', 'identity', '*', 'deflate'),
    weight: fc.constantFrom(null, null, 0, 0.1, 0.5, 0.5, 0.999, 1),
  }),
  { selector: ({ name }) => codingOf(name), maxLength: 5 },
);
/** Headers on which no answer may depend. */
const NOISE = [
  ['If-Modified-Since', 'Fri, 31 Dec 2100 00:00:00 GMT'],
  ['If-Unmodified-Since', 'Sat, 01 Jan 2000 00:00:00 GMT'],
  ['Accept', 'image/avif'],
  ['Cookie', 'a=b'],
];
const small = Object.keys(PATHS).filter((target) => !target.startsWith('/large'));

/** A value in this percentage of the cases, else `null`. */
function sometimes<T>(value: fc.Arbitrary<T>, percent: number): fc.Arbitrary<T | null> {
  const nothing = { weight: 100 - percent, arbitrary: fc.constant(null) };
  return fc.oneof({ withCrossShrink: true }, nothing, { weight: percent, arbitrary: value });
}

/** Requests of every kind, described by their meaning; the large files are rare. */
export const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  visitor: fc.constantFrom('deployment', 'deployment', 'domain', 'anonymous'),
  target: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...small) },
    { weight: 4, arbitrary: fc.constantFrom(...MISSING) },
    { weight: 2, arbitrary: fc.constantFrom('/large.csv', '/large.mp4') },
  ),
  range: sometimes(rangeAsked, 40),
  /** A text that is not a tag is sent as it is. */
  ifRange: sometimes(fc.oneof(tag, fc.constantFrom('Fri, 31 Dec 2100 00:00:00 GMT', '*', 'etag')), 30),
  ifMatch: sometimes(tags, 10),
  ifNoneMatch: sometimes(tags, 30),
  codings: sometimes(codings, 70),
  noise: fc.subarray(NOISE),
});

export type SampleRequest = Generated<typeof requests>;
export type Tag = Generated<typeof tag>;
export type TagsAsked = Generated<typeof tags>;
type Position = Generated<typeof position>;

/** The file that a request finds. The anonymous site has no page for missing paths. */
export function fileOf({ visitor, target }: SampleRequest): SampleFile | undefined {
  const path = PATHS[target];
  return path === undefined || (visitor === 'anonymous' && path === '404.html') ? undefined : FILES[path];
}

/** A position as a number, never below 0. */
export function at({ fraction, delta }: Position, size: number): number {
  return Math.max(0, Math.round(fraction * size) + delta);
}

/** The coding with this name. */
export function codingOf(name: string): string {
  const coding = name.toLowerCase();
  return coding === 'x-gzip' ? 'gzip' : coding;
}

/** The headers of a request. */
export function fieldsOf(request: SampleRequest): Record<string, string> {
  const { range, ifRange, ifMatch, ifNoneMatch, codings, noise } = request;
  const file = fileOf(request) ?? FILES['404.html']!;
  const writeTag = ({ of, weak }: Tag) => {
    const strong = of === 'other' ? '"another,with-a-comma"' : tagOf(file, of === 'identity' ? null : of);
    return weak ? `W/${strong}` : strong;
  };
  const writeTags = (asked: TagsAsked) => (asked === '*' ? '*' : asked.tags.map(writeTag).join(asked.separator));
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

function writeRange(range: Generated<typeof rangeAsked>, size: number): string {
  if (typeof range === 'string') return range;
  const [first, last] = [at(range.first, size), at(range.last, size)];
  return `bytes=${{ between: `${first}-${last}`, from: `${first}-`, last: `-${first}` }[range.kind]}`;
}
