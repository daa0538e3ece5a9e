import type { Command } from 'commander';
import type { BerthClient } from '../../client.ts';
import { table } from '../render/table.ts';
import { readLimit } from '../values.ts';
import { inSession, type Surroundings } from './define.ts';
import { MORE, readPages } from './pages.ts';

/** What there is a list of. */
export interface Listed<Name extends string, Row> {
  /** The name of the rows, on the wire and in what `--json` prints. */
  name: Name;
  read(
    client: BerthClient,
    query: { limit: number; cursor?: string },
  ): Promise<{ [N in Name]: Row[] } & { nextCursor?: string | undefined }>;
  description: string;
  heading: readonly string[];
  toCells(row: Row): readonly string[];
  /** What `--json` prints of a row. Default: the row. */
  toJson?(row: Row): unknown;
  /** What is said when there are none. */
  none: string;
}

/** Adds the command `list`, which stands for its noun alone too. */
export function addList<Name extends string, Row>(
  noun: Command,
  at: Surroundings,
  { name, read, description, heading, toCells, toJson = (row) => row, none }: Listed<Name, Row>,
): void {
  noun
    .command('list', { isDefault: true })
    .description(description)
    .option('--limit <number>', 'how many, or "all"', readLimit, 20)
    .action(
      inSession<[], { limit: number }>(at, async ({ client, answer, note }, _, { limit }) => {
        const { rows, more } = await readPages(
          limit,
          (query) => read(client, query),
          (page): readonly Row[] => page[name],
        );
        answer({ [name]: rows.map(toJson), more }, () => table(heading, rows.map(toCells)));
        if (rows.length === 0) note(none);
        if (more) note(MORE);
      }),
    );
}
