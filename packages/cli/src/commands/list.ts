import { type BerthClient, ClientError } from '@berth/client';
import { PageQuery } from '@berth/contract';
import { fitTable, table } from '@berth/terminal';
import type { Command } from 'commander';
import type { Session } from '../session.ts';
import { parseLimit } from '../values.ts';
import { inSession, type CommandContext, withExamples } from './define.ts';

export const MORE_ROWS_NOTE = 'There are more rows. Use --limit all to list everything.';

const NO_MATCH_NOTE = 'Nothing matches these options.';

type ListOptions = { limit: number } & Readonly<Record<string, string | undefined>>;

/** The options of a list that leave out rows. */
interface Filters<Query> {
  /** The flags of each option, and its description. */
  flags: Readonly<Record<string, string>>;
  /** Converts the values of the options to fields of the query. */
  toQuery(client: BerthClient, options: Readonly<Record<string, string | undefined>>): Promise<Query>;
}

interface ListCommand<Name extends string, Row, Query> {
  /** The name of the list, in the API and in the output of `--json`. */
  name: Name;
  read(
    client: BerthClient,
    query: { limit: number; cursor?: string } & Partial<Query>,
  ): Promise<{ [N in Name]: Row[] } & { nextCursor?: string | undefined }>;
  description: string;
  heading: readonly string[];
  toCells(row: Row): readonly string[];
  /** The columns to omit, in this order, if the table is wider than the screen. Default: none. */
  lessImportant?: readonly string[];
  /** Converts a row for `--json`. Default: the row itself. */
  toJson?(row: Row): unknown;
  emptyNote: string;
  filters?: Filters<Query>;
}

/** Adds the command `list`, which is the default command of its noun. */
export function addList<Name extends string, Row, Query = Record<never, never>>(
  noun: Command,
  context: CommandContext,
  list: ListCommand<Name, Row, Query>,
): void {
  const {
    name,
    read,
    description,
    heading,
    toCells,
    lessImportant = [],
    toJson = (row) => row,
    emptyNote,
    filters,
  } = list;
  const command = withExamples(noun.command('list', { isDefault: true }), {
    [`berth ${name} list --limit all`]: 'lists everything',
  })
    .description(description)
    .option('--limit <number>', 'how many rows to list, or "all"', parseLimit, 20);
  for (const [flags, meaning] of Object.entries(filters?.flags ?? {})) command.option(flags, meaning);
  command.action(
    inSession<[], ListOptions>(context, async (session, _, { limit, ...options }) => {
      const { client, printResult, note } = session;
      const filter = (await filters?.toQuery(client, options)) ?? {};
      const { rows, more } = await readPages(
        limit,
        (query) => read(client, { ...query, ...filter } as typeof query & Partial<Query>),
        (page): readonly Row[] => page[name],
      );
      const { lines, omitted } = screenTable(session, heading, rows.map(toCells), lessImportant);
      printResult({ [name]: rows.map(toJson), more }, () => lines);
      if (omitted.length > 0)
        note([{ colour: 'dim', text: `Not shown: ${omitted.join(', ')}. Use a wider terminal, or --json.` }]);
      if (rows.length === 0) note(Object.keys(options).length > 0 ? NO_MATCH_NOTE : emptyNote);
      if (more) note(MORE_ROWS_NOTE);
    }),
  );
}

/** Formats a table: complete in a script, fitted to the screen on a terminal. */
export function screenTable(
  { terminal }: Session,
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  lessImportant: readonly string[],
): ReturnType<typeof fitTable> {
  const screenColumns = terminal.resultColumns();
  if (screenColumns === null) return { lines: table(heading, rows), omitted: [] };
  return fitTable(heading, rows, screenColumns, lessImportant);
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
