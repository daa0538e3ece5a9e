/**
 * Cases of one public suite, re-typed as data.
 *
 * A row is what is asked, the answer of that suite, and, where ours is another one, our answer and why.
 */
export interface PublicCases<Asked extends readonly unknown[], Answer> {
  /** Which suite, at which commit, under which licence. */
  origin: string;
  rows: readonly (
    | readonly [...Asked, answer: Answer]
    | readonly [...Asked, answer: Answer, ours: Answer, why: string]
  )[];
}

/**
 * The rows of some suites for a table test: origin, what is asked, and the answer that is expected of us.
 *
 * @param asked How many values of a row are what is asked.
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
