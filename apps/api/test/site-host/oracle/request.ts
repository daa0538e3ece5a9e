import type { Coding } from '@berth/serving';
import fc from 'fast-check';
import { FILES, MISSING, PATHS, type SampleFile, tagOf } from './files.ts';

/** A position in a content: near its start, its middle or its end. */
export interface Position {
  fraction: number;
  delta: number;
}

/** The meaning of a `Range`, or its text when it has no meaning. */
type RangeAsked =
  | { kind: 'between'; first: Position; last: Position }
  | { kind: 'from'; first: Position }
  | { kind: 'last'; count: Position }
  | { kind: 'ignored'; sent: string };

/** An entity tag of the content, or of another one. */
export interface Tag {
  of: Coding | 'identity' | 'other';
  weak: boolean;
}

export type TagsAsked = '*' | { tags: Tag[]; separator: string };

/** A coding and its weight. Without a weight, it has the maximum. */
export interface Preference {
  name: string;
  weight: number | null;
}

/** A request described by its meaning. {@link fieldsOf} gives the headers to send. */
export interface SampleRequest {
  method: 'GET' | 'HEAD';
  visitor: 'deployment' | 'domain' | 'anonymous';
  target: string;
  range: RangeAsked | null;
  /** Any text that is not a tag is sent as it is. */
  ifRange: Tag | string | null;
  ifMatch: TagsAsked | null;
  ifNoneMatch: TagsAsked | null;
  codings: Preference[] | null;
  /** Headers on which no answer may depend. */
  noise: Record<string, string>;
}

/** The file that a request finds. The anonymous site has no page for missing paths. */
export function fileOf({ visitor, target }: SampleRequest): SampleFile | undefined {
  const path = PATHS[target];
  return path === undefined || (visitor === 'anonymous' && path === '404.html') ? undefined : FILES[path];
}

/** A position as a number, never below 0. */
export function at({ fraction, delta }: Position, size: number): number {
  return Math.max(0, Math.round(fraction * size) + delta);
}

const position = fc.record({ fraction: fc.constantFrom(0, 0, 0.5, 1, 1), delta: fc.integer({ min: -3, max: 3 }) });
const range: fc.Arbitrary<RangeAsked> = fc.oneof(
  fc.record({ kind: fc.constant('between' as const), first: position, last: position }),
  fc.record({ kind: fc.constant('from' as const), first: position }),
  fc.record({ kind: fc.constant('last' as const), count: position }),
  fc.record({
    kind: fc.constant('ignored' as const),
    sent: fc.constantFrom(
      'bytes=',
      'bytes=-',
      'bytes=1',
      'bytes=0-1,3-4',
      'bytes=9999999-,0-0',
      'bytes=x-4',
      'bytes=--4',
      'bytes=0-4-8',
      'bytes 0-4',
      'items=0-4',
      '0-4',
      `bytes=${'0'.repeat(256)}-4`,
    ),
  }),
);
const tag: fc.Arbitrary<Tag> = fc.record({
  of: fc.constantFrom('identity', 'identity', 'br', 'zstd', 'gzip', 'other'),
  weak: fc.boolean(),
});
const tags: fc.Arbitrary<TagsAsked> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('*' as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      tags: fc.array(tag, { maxLength: 3 }),
      separator: fc.constantFrom(',', ', ', ' ,\t', ',, '),
    }),
  },
);
const codings = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('br', 'zstd', 'gzip', 'BR', 'x-gzip', 'identity', '*', 'deflate'),
    weight: fc.constantFrom(null, null, 0, 0.1, 0.5, 0.5, 0.999, 1),
  }),
  { selector: ({ name }) => codingOf(name), maxLength: 5 },
);
const noise = fc.record(
  {
    'If-Modified-Since': fc.constantFrom('Fri, 31 Dec 2100 00:00:00 GMT', 'Sat, 01 Jan 2000 00:00:00 GMT', 'soon'),
    'If-Unmodified-Since': fc.constantFrom('Fri, 31 Dec 2100 00:00:00 GMT', 'Sat, 01 Jan 2000 00:00:00 GMT'),
    'Cache-Control': fc.constant('no-cache'),
    Accept: fc.constantFrom('image/avif', 'text/html', 'text/html;q=0'),
    Cookie: fc.constant('a=b'),
    Origin: fc.constant('https://elsewhere.example'),
    'X-Forwarded-Host': fc.constant('elsewhere.example'),
  },
  { requiredKeys: [] },
);
const small = Object.keys(PATHS).filter((target) => !target.startsWith('/large'));

/** A value in this share of the cases, else `null`. */
function sometimes<T>(value: fc.Arbitrary<T>, share: number): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: Math.round(100 * (1 - share)), arbitrary: fc.constant(null) },
    { weight: Math.round(100 * share), arbitrary: value },
  );
}

/** Requests of every kind; the large files are rare. */
export const requests: fc.Arbitrary<SampleRequest> = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  visitor: fc.constantFrom('deployment', 'deployment', 'domain', 'anonymous'),
  target: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...small) },
    { weight: 4, arbitrary: fc.constantFrom(...MISSING) },
    { weight: 2, arbitrary: fc.constantFrom('/large.csv', '/large.mp4') },
  ),
  range: sometimes(range, 0.4),
  ifRange: sometimes(fc.oneof(tag, fc.constantFrom('Fri, 31 Dec 2100 00:00:00 GMT', '*', 'etag')), 0.3),
  ifMatch: sometimes(tags, 0.1),
  ifNoneMatch: sometimes(tags, 0.3),
  codings: sometimes(codings, 0.7),
  noise,
});

/** The coding with this name. */
export function codingOf(name: string): string {
  const coding = name.toLowerCase();
  return coding === 'x-gzip' ? 'gzip' : coding;
}

/** The headers of a request. */
export function fieldsOf(request: SampleRequest): Record<string, string> {
  const { range, ifRange, ifMatch, ifNoneMatch, codings, noise } = request;
  const file = fileOf(request) ?? FILES['404.html']!;
  const fields: Record<string, string> = { ...noise };
  if (range) fields['Range'] = writeRange(range, file.bytes.length);
  if (ifRange !== null) fields['If-Range'] = typeof ifRange === 'string' ? ifRange : writeTag(ifRange, file);
  if (ifMatch) fields['If-Match'] = writeTags(ifMatch, file);
  if (ifNoneMatch) fields['If-None-Match'] = writeTags(ifNoneMatch, file);
  if (codings) fields['Accept-Encoding'] = codings.map(writePreference).join(', ');
  return fields;
}

function writeRange(range: RangeAsked, size: number): string {
  switch (range.kind) {
    case 'between':
      return `bytes=${at(range.first, size)}-${at(range.last, size)}`;
    case 'from':
      return `bytes=${at(range.first, size)}-`;
    case 'last':
      return `bytes=-${at(range.count, size)}`;
    case 'ignored':
      return range.sent;
    default:
      return range satisfies never;
  }
}

function writeTags(asked: TagsAsked, file: SampleFile): string {
  return asked === '*' ? '*' : asked.tags.map((tag) => writeTag(tag, file)).join(asked.separator);
}

function writeTag({ of, weak }: Tag, file: SampleFile): string {
  const strong = of === 'other' ? '"another,with-a-comma"' : tagOf(file, of === 'identity' ? null : of);
  return weak ? `W/${strong}` : strong;
}

function writePreference({ name, weight }: Preference): string {
  return weight === null ? name : `${name};q=${weight}`;
}
