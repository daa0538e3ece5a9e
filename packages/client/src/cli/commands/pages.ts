/** One page of a list. */
interface Page {
  nextCursor?: string | undefined;
}

const MOST_A_PAGE = 100;

/**
 * Reads as much of a list as is wanted, page by page.
 *
 * @returns The rows, and whether there are more.
 */
export async function readPages<P extends Page, Row>(
  limit: number,
  readPage: (query: { limit: number; cursor?: string }) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await readPage({ limit: Math.min(limit - rows.length, MOST_A_PAGE), ...(cursor && { cursor }) });
    rows.push(...rowsOf(page));
    cursor = page.nextCursor;
    if (cursor === undefined || rows.length >= limit) return { rows, more: cursor !== undefined };
  }
}

/** Says that a list goes on. */
export const MORE = 'There are more: --limit all lists everything.';
