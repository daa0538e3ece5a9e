import type { Command } from 'commander';
import type { BerthClient } from '../../client.ts';
import { table } from '../render/table.ts';
import { readLimit } from '../values.ts';
import { inSession, type Surroundings } from './define.ts';
import { MORE, readPages } from './pages.ts';

/** Describes a list that can be printed. */
export interface Listed<Name extends string, Row> {
  /** The name of the list, in the API and in the output of `--json`. */
  name: Name;
  read(
    client: BerthClient,
    query: { limit: number; cursor?: string },
  ): Promise<{ [N in Name]: Row[] } & { nextCursor?: string | undefined }>;
  description: string;
  heading: readonly string[];
  toCells(row: Row): readonly string[];
  /** Converts a row for `--json`. Default: the row itself. */
  toJson?(row: Row): unknown;
  /** The message for an empty list. */
  none: string;
}

/** Adds the command `list`, which is the default command of its noun. */
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
