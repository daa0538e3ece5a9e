import type { BerthClient } from '@berth/client';
import { table } from '@berth/terminal';
import type { Command } from 'commander';
import { parseLimit } from '../values.ts';
import { inSession, type CommandContext } from './define.ts';
import { MORE_ROWS_NOTE, readPages } from './pages.ts';

/** Describes a list that can be printed. */
export interface ListCommand<Name extends string, Row> {
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
  emptyNote: string;
}

/** Adds the command `list`, which is the default command of its noun. */
export function addList<Name extends string, Row>(
  noun: Command,
  context: CommandContext,
  { name, read, description, heading, toCells, toJson = (row) => row, emptyNote }: ListCommand<Name, Row>,
): void {
  noun
    .command('list', { isDefault: true })
    .description(description)
    .option('--limit <number>', 'how many to list, or "all"', parseLimit, 20)
    .action(
      inSession<[], { limit: number }>(context, async ({ client, printResult, note }, _, { limit }) => {
        const { rows, more } = await readPages(
          limit,
          (query) => read(client, query),
          (page): readonly Row[] => page[name],
        );
        printResult({ [name]: rows.map(toJson), more }, () => table(heading, rows.map(toCells)));
        if (rows.length === 0) note(emptyNote);
        if (more) note(MORE_ROWS_NOTE);
      }),
    );
}
