import { sweep } from '@berth/core/jobs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectErrorAnswer, expectRefusal } from '../standing-asserts.ts';
import { useCleanServer } from '../use-clean-server.ts';

const COUNT = 250;

const server = useCleanServer();
let key: string;
/** Newest first. */
let ids: string[];
beforeAll(async () => {
  ({ key } = await server().account('pro'));
  ids = [];
  // Some have the same time, so that the time is not enough to order them.
  for (let i = 0; i < COUNT; i += 10) {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, j) => server().publish({ 'index.html': `${(i + j) % 7}` }, { key })),
    );
    await server().database.query(
      `update deployment set created = date_trunc('second', now()) + $2 * interval '1 ms' where id = any($1::text[])`,
      [made.map(({ deployment }) => deployment), i / 10 - 2000],
    );
    ids.unshift(
      ...made
        .map(({ deployment }) => deployment)
        .toSorted()
        .toReversed(),
    );
  }
});

interface Page {
  deployments: { deployment: string; created: number }[];
  nextCursor?: string;
}

async function page(query: string): Promise<Page> {
  const answer = await server().api(`/deployments?${query}`, { key });
  expect([answer.status, answer.text.length > 0]).toEqual([200, true]);
  return answer.json<Page>();
}

/** Reads all pages. @param between Runs after each page. */
async function walk(
  query: string,
  between: (page: Page, n: number) => Promise<void> = async () => {},
): Promise<{ seen: string[]; sizes: number[] }> {
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let cursor = ''; ;) {
    const got = await page(`${query}${cursor}`);
    seen.push(...got.deployments.map(({ deployment }) => deployment));
    sizes.push(got.deployments.length);
    if (got.nextCursor === undefined) return { seen, sizes };
    expect(got.nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    cursor = `&cursor=${got.nextCursor}`;
    await between(got, sizes.length);
  }
}

describe('api §1: a list of 250', () => {
  it.each([
    ['', [50, 50, 50, 50, 50]],
    ['limit=100', [100, 100, 50]],
    ['limit=1000', [100, 100, 50]],
    ['limit=83', [83, 83, 83, 1]],
    ['limit=125', [100, 100, 50]],
  ])('by pages of %j contains every item once, newest first, with no cursor on the last page', async (query, sizes) => {
    expect(await walk(query)).toEqual({ seen: ids, sizes });
  });

  it('by pages of one item', async () => {
    let cursor = '';
    for (const id of ids.slice(0, 12)) {
      const { deployments, nextCursor } = await page(`limit=1${cursor}`);
      expect(deployments.map(({ deployment }) => deployment)).toEqual([id]);
      cursor = `&cursor=${nextCursor}`;
    }
  });

  it('returns the same page for the same cursor, with any limit', async () => {
    const { nextCursor } = await page('limit=10');
    for (const limit of [5, 10, 20])
      expect(
        (await page(`limit=${limit}&cursor=${nextCursor}`)).deployments.map(({ deployment }) => deployment),
      ).toEqual(ids.slice(10, 10 + limit));
  });

  it('repeats no item and misses none that stayed, while items are created and deleted', async () => {
    const removed: string[] = [];
    const made: string[] = [];
    const { seen } = await walk('limit=30', async ({ deployments }, n) => {
      const victims = [ids[n * 30 + 7]!, ids[n * 30 + 8]!, deployments.at(-1)!.deployment].filter(Boolean);
      await Promise.all(victims.map((id) => server().api(`/deployments/${id}`, { method: 'DELETE', key })));
      await sweep(server().berth.core);
      removed.push(...victims);
      made.push((await server().publish({ 'index.html': 'new' }, { key })).deployment);
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => made.includes(id))).toEqual([]);
    expect(seen).toEqual(expect.arrayContaining(ids.filter((id) => !removed.includes(id))));
    ids = [...made.toReversed(), ...ids.filter((id) => !removed.includes(id))];
    expect((await walk('limit=100')).seen).toEqual(ids);
  });
});

describe('api §1: every list', () => {
  const COPIES = 102;
  let key: string;
  beforeAll(async () => {
    const made = await server().account('scale');
    ({ key } = made);
    for (const insert of [
      `into domain (account_id, name, kind, status, labels, created, verified, checks)
       select $1, 'page-' || n || '.localhost', 'platform', 'success', '{}', now(), now(), '[]' from generate_series(1, $2::int) n`,
      `into token (account_id, token, kind, secret_hash, last4, labels, created)
       select $1, lpad(n::text, 7, '0'), 'deploy', sha256(n::text::bytea), '0000', '{}', now() from generate_series(1, $2::int - 2) n`,
    ])
      await server().database.query(`insert ${insert}`, [made.account, COPIES]);
  });

  it.each(['domains', 'tokens'])('/%s has pages of 50, or of up to 100 on request', async (list) => {
    const read = async (search: string) =>
      (await server().api(`/${list}${search}`, { key })).json<{ nextCursor?: string } & Record<string, object[]>>();
    const [normal, whole, above] = [await read(''), await read('?limit=100'), await read('?limit=5000')];
    expect([normal[list], whole[list], above[list]]).toMatchObject([{ length: 50 }, { length: 100 }, { length: 100 }]);
    expect(await read(`?limit=50&cursor=${normal.nextCursor}`)).toMatchObject({ [list]: whole[list]!.slice(50) });
    const last = await read(`?cursor=${whole.nextCursor}`);
    expect([last[list]!.length, 'nextCursor' in last]).toEqual([COPIES - 100, false]);
  });
});

describe('GET /activities', () => {
  it('is paginated like the other lists', async () => {
    const all: string[] = [];
    for (let cursor = ''; ;) {
      const got = (await server().api(`/activities?limit=90${cursor}`, { key })).json<{
        activities: { event: string; deployment?: string }[];
        nextCursor?: string;
      }>();
      all.push(
        ...got.activities.filter(({ event }) => event === 'deployment.create').map(({ deployment }) => deployment!),
      );
      if (got.nextCursor === undefined) break;
      cursor = `&cursor=${got.nextCursor}`;
    }
    expect(all).toHaveLength(new Set(all).size);
    expect(all.length).toBeGreaterThanOrEqual(COUNT);
  });
});

describe('T23: an invalid cursor is 400', () => {
  it.each([
    '',
    'x',
    'null',
    '0',
    '50',
    '../..',
    '%00',
    'a'.repeat(512),
    'a'.repeat(513),
    '=',
    'e30',
    Buffer.from('[1,2]').toString('base64url'),
    '%F0%9F%94%91',
    '[]',
  ])('%.30s', async (cursor) => {
    for (const path of ['/deployments', '/activities']) {
      const { details } = await expectRefusal(server(), 'validation_failed', () =>
        server().api(`${path}?cursor=${cursor}`, { key }),
      );
      expect(details).toEqual({ issues: [{ path: 'cursor', message: expect.any(String) }] });
    }
  });

  it('also with any bit of it flipped, cut, padded or in the other alphabet', async () => {
    const { nextCursor } = await page('limit=1');
    const bytes = Buffer.from(nextCursor!, 'base64url');
    const forged = (cursor: string) => server().api(`/deployments?cursor=${encodeURIComponent(cursor)}`, { key });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const changed = Buffer.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        expectErrorAnswer(await forged(changed.toString('base64url')), 'validation_failed');
      }),
      { numRuns: 100 },
    );
    for (const cursor of [
      nextCursor!.slice(0, -1),
      nextCursor!.slice(1),
      `${nextCursor}=`,
      `${nextCursor} `,
      `${nextCursor}A`,
      bytes.toString('base64') === nextCursor ? `${nextCursor}%` : bytes.toString('base64'),
      nextCursor!.toLowerCase(),
      nextCursor! + nextCursor!,
    ])
      expectErrorAnswer(await forged(cursor), 'validation_failed');
  });

  it('also when given twice', async () => {
    const { nextCursor } = await page('limit=1');
    await expectRefusal(server(), 'validation_failed', () =>
      server().api(`/deployments?cursor=${nextCursor}&cursor=${nextCursor}`, { key }),
    );
  });
});
