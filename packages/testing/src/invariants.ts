import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { LiveSiteCache } from '../../core/src/services/sites/live-sites.ts';
import { sweep, type SweepReport } from '../../core/src/services/sweep/sweep.ts';
import type { Site } from '@berth/serving';
import type { TestCore } from './core.ts';

const TABLES = [
  'account',
  'activity',
  'content',
  'deployment',
  'deployment_pack',
  'idempotency_record',
  'issued_id',
  'manifest',
  'member',
  'pack',
  'token',
  'upload',
  'upload_content',
  'upload_pack',
] as const;

/** The state that a refused request must not change: the rows of each table, the counters, and the open uploads. */
export async function stateOf({
  core,
  database,
}: TestCore): Promise<Record<(typeof TABLES)[number] | 'counters' | 'activePacks', number>> {
  const counts = TABLES.map((table) => `(select count(*)::int from "${table}") as "${table}"`);
  const [rows] = await database.query<Record<(typeof TABLES)[number] | 'counters', number>>(
    `select ${counts.join(', ')}, (select coalesce(sum(deployment_count), 0)::int from account) as counters`,
  );
  return { ...rows!, activePacks: core.activePacks.size };
}

/** Ends the tests of a file: everything that nothing needs must be removed by a sweep, and the rest must be complete. */
export async function closeSwept(test: TestCore): Promise<void> {
  await expectSound(test);
  await sweepAll(test);
  await expectSwept(test);
  await test.close();
}

/** Sweeps without grace times, and reports if deploys held the fence. */
export async function sweepAll({ core }: TestCore): Promise<SweepReport> {
  return sweep(core, { graceMs: 0 });
}

/**
 * I2: every hash of a manifest has a content row in a sealed pack that the deployment refers to, and its bytes are
 * there. I4: counters equal a recount.
 */
export async function expectSound({ core, database }: TestCore): Promise<void> {
  const sites = new LiveSiteCache(core);
  const deployments = await database.query<{ id: string; files: number }>(
    `select id, files from deployment where status = 'success' and (expires is null or expires > $1)`,
    // Leaves out those that are about to expire during the check.
    [new Date(core.now().getTime() + 60_000)],
  );
  for (const { id, files } of deployments) {
    const listed = await database.query<{ pack: string }>(
      `select pack_id as pack from deployment_pack d join pack p on p.id = d.pack_id where deployment_id = $1 and state = 'sealed'`,
      [id],
    );
    const site = (await sites.find({ deployment: id })) as Site;
    expect(site.manifest.size, `files of ${id}`).toBe(files);
    for (const [path, file] of site.manifest) {
      expect(listed, `pack of ${id}/${path}`).toContainEqual({ pack: file.pack });
      expect(hash('sha256', await core.packs.read(file)), `bytes of ${id}/${path}`).toBe(file.sha256);
    }
  }
  const miscounted = await database.query(`
    select id, deployment_count, (select count(*) from deployment where account_id = a.id and status = 'success') as recount from account a
    where deployment_count <> (select count(*) from deployment where account_id = a.id and status = 'success')`);
  expect(miscounted, 'I4').toEqual([]);
  const misjudged = await database.query(`
    select a.id, storage_bytes, storage_exact, stored.bytes from account a cross join lateral (
      select coalesce(sum(size), 0) as bytes from (
        select substring(h.hashes from (f.position::int - 1) * 32 + 1 for 32), max(f.size) as size
        from (
          select m.hashes, m.sizes from deployment d join manifest m on m.deployment_id = d.id
          where d.account_id = a.id and d.status = 'success'
          union all select hashes, sizes from upload where account_id = a.id and committed is null) h
        cross join unnest(h.sizes) with ordinality as f (size, position) group by 1) contents) stored
    where case when storage_exact then storage_bytes <> stored.bytes else storage_bytes < stored.bytes end`);
  expect(misjudged, 'I4: storage').toEqual([]);
}

/**
 * I3: after the sweep, files = rows = packs that deployments, uploads or compressed forms need, and every content is in
 * one of them.
 */
export async function expectSwept({ core, database }: TestCore): Promise<void> {
  const ids = async (query: string) => (await database.query<{ id: string }>(query)).map(({ id }) => id).toSorted();
  const referenced = await ids(
    'select pack_id as id from deployment_pack union select pack_id from upload_pack union select pack_id from compression where pack_id is not null',
  );
  expect(await ids('select id from pack'), 'I3: rows').toEqual(referenced);
  expect((await Array.fromAsync(core.packs.list())).toSorted(), 'I3: files').toEqual(referenced);
  expect(
    await ids(
      'select distinct pack_id as id from content where pack_id not in (select pack_id from deployment_pack union select pack_id from upload_pack)',
    ),
    'I3: contents',
  ).toEqual([]);
}
