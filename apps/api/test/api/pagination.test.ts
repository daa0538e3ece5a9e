import { expectError } from '@berth/testing/expectations';
import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const LISTS = ['deployments', 'domains', 'tokens', 'activities'] as const;
const ENTRIES = 102;

interface Page {
  items: { created: number }[];
  nextCursor: string | undefined;
}

const server = useServer({ clean: true });
let key: string;
beforeAll(async () => {
  const account = await server().account('scale');
  ({ key } = account);
  const { deployment } = await server().publish({ 'index.html': 'home' }, { key });
  // The entries are inserted into the tables: creating them with the API is slow, and is tested elsewhere.
  const insertEntries = (sql: string) => server().database.query(sql, [account.account, ENTRIES]);
  const columns = await server().database.query<{ list: string }>(
    `select string_agg('"' || column_name || '"', ',') as list from information_schema.columns
     where table_name = 'deployment' and column_name <> 'id'`,
  );
  const [{ list: columnNames }] = columns as [{ list: string }];
  await server().database.query(
    `insert into deployment (id, ${columnNames}) select 'calm-otter-' || lpad(n::text, 7, '0'), ${columnNames}
     from deployment, generate_series(2, $2::int) n where id = $1`,
    [deployment, ENTRIES],
  );
  await insertEntries(`update account set deployment_count = $2 where id = $1`);
  await insertEntries(`insert into domain (account_id, name, kind, status, labels, created, verified, checks)
    select $1, 'page-' || n || '.localhost', 'platform', 'success', '{}', now(), now(), '[]' from generate_series(1, $2::int) n`);
  await insertEntries(`insert into token (account_id, token, kind, secret_hash, last4, labels, created)
    select $1, lpad(n::text, 7, '0'), 'deploy', sha256(n::text::bytea), '0000', '{}', now() from generate_series(1, $2::int - 2) n`);
  await insertEntries(`insert into activity (account_id, event, auth_method, created, meta)
    select $1, 'account.update', 'operator', now() + n * interval '1 s', '{}'
    from generate_series(1, $2::int - (select count(*)::int from activity where account_id = $1)) n`);
});

async function readPage(list: string, search = ''): Promise<Page> {
  const response = await server().api(`/${list}?${search}`, { key });
  expect([response.status, response.text.length > 0]).toEqual([200, true]);
  const { [list]: items, nextCursor } = response.json();
  return { items, nextCursor } as Page;
}

describe.each(LISTS)('api §1: the list of GET /%s', (list) => {
  it.each([
    ['', [50, 50, 2]],
    ['limit=34', [34, 34, 34]],
    ['limit=100', [100, 2]],
    ['limit=101', [100, 2]],
  ])('with %j contains every entry once, newest first, and its last page has no cursor', async (query, sizes) => {
    const pages = [await readPage(list, query)];
    for (let cursor = pages[0]!.nextCursor; cursor !== undefined; cursor = pages.at(-1)!.nextCursor) {
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      pages.push(await readPage(list, `${query}&cursor=${cursor}`));
    }
    const items = pages.flatMap((page) => page.items);
    expect(pages.map((page) => page.items.length)).toEqual(sizes);
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(ENTRIES);
    expect(items).toEqual(items.toSorted((a, b) => b.created - a.created));
  });

  it('returns the same entries for the same cursor, whatever the limit is', async () => {
    const { items } = await readPage(list, 'limit=100');
    const { nextCursor } = await readPage(list, 'limit=10');
    for (const limit of [1, 5, 20])
      expect((await readPage(list, `limit=${limit}&cursor=${nextCursor}`)).items).toEqual(items.slice(10, 10 + limit));
  });
});

it('T23: a cursor that is empty, unknown, cut, padded or changed gets a 400', async () => {
  const { nextCursor: cursor = '' } = await readPage('deployments', 'limit=1');
  const cutCursors = [cursor.slice(1), cursor.slice(0, -1)];
  for (const invalidCursor of [
    '',
    'x',
    ...cutCursors,
    `${cursor}=`,
    `${cursor}%20`,
    cursor.toLowerCase(),
    '%F0%9F%94%91',
  ]) {
    const response = await server().api(`/deployments?cursor=${invalidCursor}`, { key });
    const { details } = expectError(response, 'validation_failed');
    expect(details).toEqual({ issues: [{ path: 'cursor', message: expect.any(String) }] });
  }
});
