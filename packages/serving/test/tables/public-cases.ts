/**
 * Test cases of one public suite, re-typed as data.
 *
 * A row contains the request, the expectation of the suite, and, if ours differs, our expectation and the reason.
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
 * The rows of several suites for a table test: origin, request, and our expectation.
 *
 * @param asked How many values at the start of a row are the request.
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
