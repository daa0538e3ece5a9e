import { describe, expect, it } from 'vitest';
import { readPages } from '../src/commands/list.ts';

type Page = { rows: number[]; nextCursor?: string };

/** Reads a list. @param pageOf Returns the page for the nth request. */
async function read(limit: number, pageOf: (nth: number) => Page) {
  let requests = 0;
  const rows = readPages(
    limit,
    async () => pageOf(requests++),
    (page) => page.rows,
  );
  return rows.then(
    (read) => ({ ...read, requests }),
    ({ kind, message }: { kind: string; message: string }) => ({ kind, message, requests }),
  );
}

const ROWS = Array.from({ length: 100 }, (_, i) => i);

describe('a list', () => {
  it('is read page by page, to its end or up to a limit', async () => {
    const pageOf = (nth: number): Page => ({ rows: ROWS, ...(nth < 2 && { nextCursor: `${nth}` }) });
    expect(await read(Infinity, pageOf)).toMatchObject({ more: false, requests: 3, rows: { length: 300 } });
    expect(await read(150, pageOf)).toMatchObject({ more: true, requests: 2, rows: { length: 150 } });
  });

  it.each([
    ['repeats a cursor', () => ({ rows: ROWS, nextCursor: 'again' }), 2],
    ['alternates between two cursors', (nth: number) => ({ rows: ROWS, nextCursor: `${nth % 2}` }), 3],
    ['has an empty page, but more pages', (nth: number) => ({ rows: [], nextCursor: `${nth}` }), 1],
    ['has a cursor that is too long', (nth: number) => ({ rows: ROWS, nextCursor: `${nth}`.padEnd(513) }), 1],
  ])('that %s is reported as an error of the server', async (_, pageOf, requests) => {
    const message = 'The server sent a list that never ends';
    expect(await read(Infinity, pageOf)).toEqual({ kind: 'server', message, requests });
  });

  it('has at most a million rows', async () => {
    const endless = await read(Infinity, (nth) => ({ rows: ROWS, nextCursor: `${nth}` }));
    expect(endless).toMatchObject({ more: true, rows: { length: 1_000_000 } });
  });

  it('returns at most as many rows of a page as requested', async () => {
    expect(await read(3, () => ({ rows: ROWS, nextCursor: 'x' }))).toMatchObject({ rows: [0, 1, 2], more: true });
  });
});
