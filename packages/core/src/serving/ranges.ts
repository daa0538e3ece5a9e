/** A part of a content: the positions of its first and its last byte, counted from 0. It is never empty. */
export interface ByteRange {
  first: number;
  last: number;
}

/** What a request says about the part it wants, as its headers hold it. */
export interface RangeRequest {
  range?: string | undefined;
  ifRange?: string | undefined;
}

/** What the part is of: the content as it was uploaded. */
export interface WholeContent {
  /** In bytes. */
  size: number;
  /** Its strong entity tag, with its quotes. */
  etag: string;
}

const MAX_LENGTH = 256;
// One range; empty list elements around it are allowed.
const ONE_RANGE = /^bytes=[ \t,]*(?:(\d+)-(\d*)|-(\d+))[ \t,]*$/i;

/**
 * Judges which part of a content a GET that would be answered 200 is for. HEAD ignores ranges and is not asked about.
 *
 * @returns The part, cut to the content; `unsatisfiable` when there is no such part; `null` for the whole content: nothing
 * was asked, several ranges, bad syntax, another unit, more than 256 characters, or an `If-Range` that is not `etag`.
 * Source: RFC 9110 §13.1.5, §14; serving S46, S47.
 */
export function judgeRange(
  { range, ifRange }: RangeRequest,
  { size, etag }: WholeContent,
): ByteRange | 'unsatisfiable' | null {
  if (range === undefined || range.length > MAX_LENGTH) return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const parts = ONE_RANGE.exec(range);
  if (!parts) return null;

  const [, from, to, suffix] = parts;
  const first = from === undefined ? Math.max(0, size - Number(suffix)) : Number(from);
  const last = to ? Number(to) : size - 1;
  if (to && last < first) return null;
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable';
}
