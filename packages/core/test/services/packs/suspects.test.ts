import { randomBytes } from 'node:crypto';
import { deploySite, readSite, useTestCore } from '@berth/testing/core';
import { expectSound, expectSwept, sweepAll } from '@berth/testing/invariants';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import type { Database } from '../../../src/database/database.ts';
import { db } from '../../../src/database/tables.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';

const HOUR_MS = 3_600_000;

const test = await useTestCore();
const { core } = test;
const { caller } = await test.account('scale');
afterEach(async () => {
  await expectSound(test);
  const live = await test.database.query<{ id: string }>(`select id from deployment where status = 'success'`);
  for (const { id } of live) await remove(id);
  await sweepAll(test);
  await expectSwept(test);
  expect(await test.database.query('select from pack_suspect')).toEqual([]);
});

const deploy = async (files: Record<string, string | Uint8Array> = { 'index.html': randomBytes(100) }) =>
  (await deploySite(core, caller, files)).body.deployment;
const remove = (deployment: string) => deleteDeployment({ core, caller }, deployment);
const packs = () => test.database.query<{ id: string; state: string }>('select id, state from pack order by id');
/** Moves the ends of all references into the past. */
const age = (hours: number) =>
  test.database.query(`update pack_suspect set since = since - $1 * interval '1 hour'`, [hours]);

/** The rows of packs that the session has read since its statistics were last collected. */
async function packsRead(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as count
    from pg_stat_xact_user_tables where relname = 'pack'`.execute(db(em));
  return rows[0]!.count;
}

/** A core that calls `observe` after each transaction that took the fence exclusively, with the rows of packs that it read. */
function observingFence(observe: (rowsRead: number) => Promise<void>): Core {
  const transaction: Database['transaction'] = async (work) => {
    let fenced: number | null = null;
    const result = await core.database.transaction(async (em) => {
      const before = await packsRead(em);
      const value = await work(em);
      const held = sql`select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and pid = pg_backend_pid()`;
      if ((await held.execute(db(em))).rows.length > 0) fenced = (await packsRead(em)) - before;
      return value;
    });
    if (fenced !== null) await observe(fenced);
    return result;
  };
  return { ...core, database: { ...core.database, transaction } };
}

describe('scale B6: the grace time of a pack', () => {
  it('starts when the last reference ends, however long ago the pack was sealed', async () => {
    const deployment = await deploy();
    await test.database.query(
      `update pack set sealed = now() - interval '7 days', created = now() - interval '7 days'`,
    );
    await remove(deployment);
    await sweep(core);
    await sweep(core);
    expect(await packs()).toMatchObject([{ state: 'sealed' }]);
    await age(25);
    expect(await sweep(core)).toMatchObject({ packs: 1 });
  });

  it('starts again when a later deployment with the same contents is deleted', async () => {
    const files = { 'index.html': randomBytes(100) };
    await remove(await deploy(files));
    await sweep(core);
    await age(23);
    await remove(await deploy(files));
    await sweep(core);
    await age(2);
    expect(await sweep(core)).toMatchObject({ packs: 0 });
    await age(23);
    expect(await sweep(core)).toMatchObject({ packs: 1 });
  });

  it('is by the clock of the database, also in a process whose clock is wrong', async () => {
    await remove(await deploy());
    const fast = { ...core, now: () => new Date(core.now().getTime() + 48 * HOUR_MS) };
    await sweep(fast);
    await sweep(fast);
    expect(await packs()).toMatchObject([{ state: 'sealed' }]);
  });
});

describe('scale B5: a sweep', () => {
  it('reads only the packs that may be garbage while deploys wait for the fence', async () => {
    await remove(await deploy());
    await sweep(core);
    await test.database.query(
      `insert into pack (id, state, boot_id, created, sealed)
       select gen_random_uuid(), 'sealed', $1, now(), now() - interval '7 days' from generate_series(1, 3000)`,
      [core.boot],
    );
    await test.database.query(`
      with one as (select id from deployment limit 1)
      insert into deployment_pack select '${await deploy()}', id from pack p
      where not exists (select from content c where c.pack_id = p.id)`);
    const rowsRead: number[] = [];
    const observed = observingFence(async (count) => void rowsRead.push(count));
    expect(await sweep(observed, { graceMs: 0 })).toMatchObject({ packs: 1, fenced: true });
    expect(rowsRead.length).toBeGreaterThan(0);
    for (const count of rowsRead) expect(count).toBeLessThan(50);
    await test.database.query(
      'delete from deployment_pack n where not exists (select from content c where c.pack_id = n.pack_id)',
    );
    await test.database.query('delete from pack p where not exists (select from content c where c.pack_id = p.id)');
  });

  it('releases the fence between parts of a large pack, whose other contents deploys can still use', async () => {
    const files = Object.fromEntries(Array.from({ length: 4_500 }, (_, n) => [`f${n}`, `content ${n}`]));
    await remove(await deploy(files));
    let shared: string | null = null;
    const observed = observingFence(
      async () => void (shared ??= await deploy({ 'a.txt': 'content 1', 'b.txt': 'content 4400' })),
    );
    await sweep(observed, { graceMs: 0 });
    expect(Object.keys((await readSite(core, shared!))!)).toEqual(['a.txt', 'b.txt']);
    await expectSound(test);
    await remove(shared!);
    await sweepAll(test);
    expect(await packs()).toEqual([]);
  });

  it('finds unreferenced packs of which no end of a reference is recorded, as after a restore', async () => {
    await remove(await deploy());
    await sweep(core);
    await test.database.query('delete from pack_suspect');
    expect(await sweep(core, { graceMs: HOUR_MS })).toMatchObject({ packs: 0 });
    await age(2);
    expect(await sweep(core, { graceMs: HOUR_MS })).toMatchObject({ packs: 1 });
  });
});
