/** The maximum number of calls in one batch. Source: security F8. */
export const MAX_BATCH_CALLS = 10;

/** Whether the calls of a request are sent as a batch. */
export function isBatch(query: URLSearchParams): boolean {
  return query.get('batch') === '1';
}

/** The procedures that a path such as `plans.list,platform.ping` names. */
export function namesOf(path: string): string[] {
  return path.split(/,|%2c/i);
}

/** How many calls such a path makes. */
export function countCalls(path: string, query: URLSearchParams): number {
  return isBatch(query) ? namesOf(path).length : 1;
}

/**
 * How many tRPC calls a request to this path and query makes, at most {@link MAX_BATCH_CALLS}, since larger batches are
 * rejected without any call.
 *
 * @returns `null` for a request that is not a tRPC call.
 */
export function callsOf(url: string): number | null {
  const [path = '', ...search] = url.split('?');
  const [, calls] = /^\/trpc\/([^/]+)$/.exec(path) ?? [];
  return calls === undefined
    ? null
    : Math.min(MAX_BATCH_CALLS, countCalls(calls, new URLSearchParams(search.join('?'))));
}
