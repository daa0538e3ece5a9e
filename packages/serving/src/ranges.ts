/** A part of a content: the positions of its first and last byte, counted from 0. Never empty. */
export interface ByteRange {
  first: number;
  last: number;
}

/** The values of the range headers of a request. */
export interface RangeRequest {
  range?: string | undefined;
  ifRange?: string | undefined;
}

/** The uncompressed content that the range refers to. */
export interface WholeContent {
  /** In bytes. */
  size: number;
  /** Its strong entity tag, with the quotes. */
  etag: string;
}

const MAX_LENGTH = 256;
// A single range, with optional empty list elements around it.
const ONE_RANGE = /^bytes=[ \t,]*(?:(\d+)-(\d*)|-(\d+))[ \t,]*$/i;

/**
 * Determines the part of a content to send for a GET whose response would be 200. Do not call it for HEAD, which ignores ranges.
 *
 * @returns The part, clipped to the content; `unsatisfiable` if it is outside the content; `null` for the whole content: no
 * range, several ranges, invalid syntax, another unit, more than 256 characters, or an `If-Range` that does not match `etag`.
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
