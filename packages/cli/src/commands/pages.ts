import { ClientError } from '@berth/client';
import { PageQuery } from '@berth/contract';

/** One page of a list. */
interface Page {
  nextCursor?: string | undefined;
}

const MAX_PAGE_ROWS = 100;

/** Limits `all` to a million rows. */
const MAX_PAGES = 10_000;

/**
 * Reads a list page by page, up to a number of rows and at most {@link MAX_PAGES} pages.
 *
 * @returns The rows, and whether there are more.
 * @throws ClientError `server` if the pages never lead to the end of the list.
 */
export async function readPages<P extends Page, Row>(
  limit: number,
  readPage: (query: { limit: number; cursor?: string }) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const wanted = Math.min(limit - rows.length, MAX_PAGE_ROWS);
    const page = await readPage({ limit: wanted, ...(cursor && { cursor }) });
    const found = rowsOf(page).slice(0, wanted);
    rows.push(...found);
    cursor = page.nextCursor;
    if (cursor === undefined || rows.length >= limit || cursors.size === MAX_PAGES - 1)
      return { rows, more: cursor !== undefined };
    if (found.length === 0 || cursors.has(cursor) || !PageQuery.safeParse({ cursor }).success)
      throw new ClientError('server', 'The server sent a list without an end');
    cursors.add(cursor);
  }
}

/** The note that a list has more rows. */
export const MORE_ROWS_NOTE = 'There are more. Use --limit all to list everything.';
