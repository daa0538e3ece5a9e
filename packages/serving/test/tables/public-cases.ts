/**
 * Test cases of one public suite, re-typed as data.
 *
 * A row contains the request and the expectation of the suite. If Berth differs, its expectation and the reason follow.
 */
export interface PublicCases<Asked extends readonly unknown[], Answer> {
  /** The suite, its commit and its licence. */
  origin: string;
  rows: readonly (
    | readonly [...Asked, answer: Answer]
    | readonly [...Asked, answer: Answer, ours: Answer, why: string]
  )[];
}

/**
 * Returns the rows of several suites for a table test: the origin, the request, and the expectation of Berth.
 *
 * @param asked The number of values at the start of a row that are the request.
 */
export function expected<Asked extends readonly unknown[], Answer>(
  suites: readonly PublicCases<Asked, Answer>[],
  asked: Asked['length'],
): [origin: string, ...asked: Asked, ours: Answer][] {
  return suites.flatMap(({ origin, rows }) =>
    rows.map((row): [string, ...Asked, Answer] => {
      const [answer, ours = answer] = row.slice(asked) as [Answer, Answer?];
      return [origin.split(' ')[0]!, ...(row.slice(0, asked) as unknown as Asked), ours];
    }),
  );
}
