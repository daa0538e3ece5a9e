import { type BerthClient, ClientError } from '@berth/client';
import { PageQuery } from '@berth/contract';
import { table } from '@berth/terminal';
import type { Command } from 'commander';
import { parseLimit } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';

export const MORE_ROWS_NOTE = 'There are more rows. Use --limit all to list everything.';

interface ListCommand<Name extends string, Row> {
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
  emptyNote: string;
}

/** Adds the command `list`, which is the default command of its noun. */
export function addList<Name extends string, Row>(
  noun: Command,
  context: CommandContext,
  { name, read, description, heading, toCells, toJson = (row) => row, emptyNote }: ListCommand<Name, Row>,
): void {
  withExamples(noun.command('list', { isDefault: true }), {
    [`berth ${name} list --limit all`]: 'lists everything',
  })
    .description(description)
    .option('--limit <number>', 'how many rows to list, or "all"', parseLimit, 20)
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

const MAX_PAGE_ROWS = 100;

/** The maximum number of pages to read: a million rows. */
const MAX_PAGES = 10_000;

/**
 * Reads a list page by page, up to a number of rows and at most {@link MAX_PAGES} pages.
 *
 * @returns The rows, and whether there are more.
 * @throws ClientError `server` if the pages never lead to the end of the list.
 */
export async function readPages<P extends { nextCursor?: string | undefined }, Row>(
  limit: number,
  readPage: (query: { limit: number; cursor?: string }) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const wantedRows = Math.min(limit - rows.length, MAX_PAGE_ROWS);
    const page = await readPage({ limit: wantedRows, ...(cursor && { cursor }) });
    const foundRows = rowsOf(page).slice(0, wantedRows);
    rows.push(...foundRows);
    cursor = page.nextCursor;
    if (cursor === undefined || rows.length >= limit || cursors.size === MAX_PAGES - 1)
      return { rows, more: cursor !== undefined };
    if (foundRows.length === 0 || cursors.has(cursor) || !PageQuery.safeParse({ cursor }).success)
      throw new ClientError('server', 'The server sent a list that never ends');
    cursors.add(cursor);
  }
}
