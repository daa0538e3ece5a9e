import { useServer } from '@berth/testing/use-server';
import { beforeAll, describe, expect, it } from 'vitest';

const LISTS = ['deployments', 'domains', 'tokens', 'activities'] as const;
const COUNT = 102;

interface Page {
  items: { created: number }[];
  nextCursor: string | undefined;
}

const server = useServer({ clean: true });
let key: string;
beforeAll(async () => {
  const made = await server().account('scale');
  ({ key } = made);
  const { deployment } = await server().publish({ 'index.html': 'home' }, { key });
  // A little more than a page of each, inserted directly: other tests create them with the API.
  const insert = (sql: string) => server().database.query(sql, [made.account, COUNT]);
  const columns = await server().database.query<{ list: string }>(
    `select string_agg('"' || column_name || '"', ',') as list from information_schema.columns
     where table_name = 'deployment' and column_name <> 'id'`,
  );
  const [{ list: copied }] = columns as [{ list: string }];
  await server().database.query(
    `insert into deployment (id, ${copied}) select 'calm-otter-' || lpad(n::text, 7, '0'), ${copied}
     from deployment, generate_series(2, $2::int) n where id = $1`,
    [deployment, COUNT],
  );
  await insert(`update account set deployment_count = $2 where id = $1`);
  await insert(`insert into domain (account_id, name, kind, status, labels, created, verified, checks)
    select $1, 'page-' || n || '.localhost', 'platform', 'success', '{}', now(), now(), '[]' from generate_series(1, $2::int) n`);
  await insert(`insert into token (account_id, token, kind, secret_hash, last4, labels, created)
    select $1, lpad(n::text, 7, '0'), 'deploy', sha256(n::text::bytea), '0000', '{}', now() from generate_series(1, $2::int - 2) n`);
  await insert(`insert into activity (account_id, event, auth_method, created, meta)
    select $1, 'account.update', 'operator', now() + n * interval '1 s', '{}'
    from generate_series(1, $2::int - (select count(*)::int from activity where account_id = $1)) n`);
});

async function read(list: string, search = ''): Promise<Page> {
  const answer = await server().api(`/${list}?${search}`, { key });
  expect([answer.status, answer.text.length > 0]).toEqual([200, true]);
  const { [list]: items, nextCursor } = answer.json();
  return { items, nextCursor } as Page;
}

describe.each(LISTS)('api §1: GET /%s', (list) => {
  it.each([
    ['', [50, 50, 2]],
    ['limit=34', [34, 34, 34]],
    ['limit=100', [100, 2]],
    ['limit=101', [100, 2]],
  ])('by pages of %j contains every item once, newest first, with no cursor on the last page', async (query, sizes) => {
    const pages = [await read(list, query)];
    for (let cursor = pages[0]!.nextCursor; cursor !== undefined; cursor = pages.at(-1)!.nextCursor) {
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      pages.push(await read(list, `${query}&cursor=${cursor}`));
    }
    const items = pages.flatMap((page) => page.items);
    expect(pages.map((page) => page.items.length)).toEqual(sizes);
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(COUNT);
    expect(items).toEqual(items.toSorted((one, other) => other.created - one.created));
  });

  it('returns the same items for the same cursor, with any limit', async () => {
    const { items } = await read(list, 'limit=100');
    const { nextCursor } = await read(list, 'limit=10');
    for (const limit of [1, 5, 20])
      expect((await read(list, `limit=${limit}&cursor=${nextCursor}`)).items).toEqual(items.slice(10, 10 + limit));
  });
});
