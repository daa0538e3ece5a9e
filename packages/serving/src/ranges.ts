/** The positions of the first and the last byte of a part of a content, counted from 0. */
export interface ByteRange {
  first: number;
  last: number;
}

interface RangeRequest {
  range?: string | undefined;
  ifRange?: string | undefined;
}

const MAX_LENGTH = 256;
// Matches a single range, with optional empty list elements around the range.
const ONE_RANGE = /^bytes=[ \t,]*(?:(\d+)-(\d*)|-(\d+))[ \t,]*$/i;

/**
 * Determines the part of a content to send for a GET whose response would be 200. HEAD ignores ranges.
 *
 * @param content The size of the uncompressed content in bytes, and its strong entity tag with quotes.
 * @returns The part, clipped to the content; `unsatisfiable` if the part is outside the content; `null` for the whole content:
 *   if there is no range, several ranges, invalid syntax, another unit, more than 256 characters, or an `If-Range` that does
 *   not match `etag`. Source: RFC 9110 §13.1.5, §14; serving S46, S47.
 */
export function judgeRange(
  { range, ifRange }: RangeRequest,
  { size, etag }: { size: number; etag: string },
): ByteRange | 'unsatisfiable' | null {
  if (range === undefined || range.length > MAX_LENGTH) return null;
  if (ifRange !== undefined && ifRange !== etag) return null;
  const parts = ONE_RANGE.exec(range);
  if (!parts) return null;

  const [, from, to, suffix] = parts;
  const firstByte = from === undefined ? Math.max(0, size - Number(suffix)) : Number(from);
  const lastByte = to ? Number(to) : size - 1;
  if (to && lastByte < firstByte) return null;
  return firstByte < size ? { first: firstByte, last: Math.min(lastByte, size - 1) } : 'unsatisfiable';
}
