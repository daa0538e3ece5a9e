/** The maximum number of calls in one batch. Source: security F8. */
export const MAX_BATCH_CALLS = 10;

export function isBatch(query: URLSearchParams): boolean {
  return query.get('batch') === '1';
}

/** Returns the names of the procedures in a path such as `plans.list,platform.ping`. */
export function namesOf(path: string): string[] {
  return path.split(/,|%2c/i);
}

export function countCalls(path: string, query: URLSearchParams): number {
  return isBatch(query) ? namesOf(path).length : 1;
}

/**
 * Counts the tRPC calls of a request, up to {@link MAX_BATCH_CALLS}, because larger batches are rejected.
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
