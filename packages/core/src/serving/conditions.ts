/** The conditions of a request, as its headers hold them. */
export interface Conditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

const ENTITY_TAG = /(?<=^|[\s,])(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Judges the conditions of a GET or HEAD that would be answered 200.
 *
 * Dates are ignored: after a switch back to an older deployment a date would call other bytes "not modified".
 *
 * @param etag The strong entity tag of the answer, with its quotes.
 * @returns The status the request is answered with: 200, 304, or 412 when `If-Match` fails.
 * Source: RFC 9110 §13.2.2; serving S44, S45.
 */
export function judgeConditions({ ifMatch, ifNoneMatch }: Conditions, etag: string): 200 | 304 | 412 {
  if (ifMatch !== undefined && !matches(ifMatch, (tag) => tag === etag)) return 412;
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, (tag) => tag.replace(/^W\//, '') === etag)) return 304;
  return 200;
}

function matches(condition: string, equals: (tag: string) => boolean): boolean {
  return condition.trim() === '*' || (condition.match(ENTITY_TAG) ?? []).some(equals);
}
