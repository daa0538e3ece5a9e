/** The conditions of a request, as its headers hold them. */
export interface Conditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

// Between elements of a list; then one entity tag, weak or strong, whose characters may be commas; then its end.
const ELEMENT = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y;

/**
 * Judges the conditions of a GET or HEAD that would be answered 200 or 206.
 *
 * Dates are ignored: after a switch back to an older deployment a date would call other bytes "not modified". A list is
 * read up to what is not an entity tag.
 *
 * @param etag The strong entity tag of the answer about to be sent, with its quotes; another one for each coding.
 * @returns The status the request is answered with: 200 to go on, 304, or 412 when `If-Match` fails.
 * Source: RFC 9110 §8.8.3, §13.1, §13.2.2; serving S44, S45.
 */
export function judgeConditions({ ifMatch, ifNoneMatch }: Conditions, etag: string): 200 | 304 | 412 {
  if (ifMatch !== undefined && !matches(ifMatch, etag, { weakly: false })) return 412;
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, { weakly: true })) return 304;
  return 200;
}

function matches(condition: string, etag: string, { weakly }: { weakly: boolean }): boolean {
  if (condition === etag || condition.trim() === '*') return true;
  ELEMENT.lastIndex = 0;
  for (let element = ELEMENT.exec(condition); element !== null; element = ELEMENT.exec(condition))
    if (element[2] === etag && (weakly || element[1] === undefined)) return true;
  return false;
}
