interface Conditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
}

// Matches list separators, one weak or strong entity tag, which may contain commas, and the end of the list element.
const ELEMENT = /[ \t,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y;

/**
 * Evaluates the conditions of a GET or HEAD whose response would be 200 or 206.
 *
 * Ignores dates: after a domain is linked back to an older deployment, a date would report different bytes as "not modified".
 * Reads a list only up to the first element that is not an entity tag.
 *
 * @param etag The strong entity tag of the response, with quotes. Each coding of a file has a different tag.
 * @returns The status of the response: 200 to continue, 304, or 412 if `If-Match` fails.
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
