import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sweep } from '@berth/core/jobs';
import { expectCounted, expectSwept } from '@berth/testing/invariants';
import type { askerOf } from '@berth/testing/requests';
import { expect } from 'vitest';
import { withServer, type World } from './world.ts';

type Asker = ReturnType<typeof askerOf>;

/** How many of the growing resources are checked each time. */
const RECENT = 6;

/**
 * Restarts a server on a world, lets clients retry what was not answered, sweeps without grace periods, and checks
 * every invariant of the storage. All of them must hold after any crash.
 *
 * Source: storage I1 to I6, I9.
 */
export async function checkInvariants(world: World): Promise<void> {
  await withServer(world.env(), async (asker, { core }) => {
    await settle(world, asker);
    await sweep(core, { graceMs: 0, bootStaleMs: 0, fenceWaitMs: 5_000 });
    await checkServed(world, asker);
  });
  await checkWhole(world);
  await expectSwept(world);
  await expectCounted(world.database);
  await checkAuditLog(world);
  await checkOrders(world);
}

/** Checks the invariants that can be observed while a server runs without other requests. */
export async function checkRestarted(world: World, asker: Asker): Promise<void> {
  await settle(world, asker);
  await checkServed(world, asker);
  await checkWhole(world);
  await expectCounted(world.database);
  await checkAuditLog(world);
}

/** I6: an answered request gets the same answer again, an unanswered one is answered now. I9: no answer is a fault. */
async function settle({ history }: World, asker: Asker): Promise<void> {
  await history.settle(asker);
  const small = history.orders.filter(
    ({ key, marker, files }) => key !== null && history.deployments.has(marker) && !files['big.txt'],
  );
  await Promise.all(small.slice(-RECENT).map((order) => history.send(asker, order)));
  expect(history.faults, 'I9: no answer is a fault').toEqual([]);
}

/** I1: every deployment answered with 201 is served byte for byte. I5: every deleted one is gone. */
async function checkServed({ history }: World, asker: Asker): Promise<void> {
  for (const { marker, files } of history.live())
    await Promise.all(
      Object.entries(files).map(async ([path, bytes]) => {
        const deployment = history.deployments.get(marker)!;
        const answer = await asker.visit(deployment, `/${path}`);
        expect(answer.status, `I1: ${deployment}/${path}`).toBe(200);
        expect(answer.bytes.equals(Buffer.from(bytes)), `I1: the bytes of ${deployment}/${path}`).toBe(true);
        expect(answer.headers['etag']).toBe(`"${hash('sha256', bytes).slice(0, 32)}"`);
        expect(answer.headers['content-type']).toBe(
          path.endsWith('.html') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
        );
      }),
    );
  for (const deployment of [...history.deleted.keys()].slice(-RECENT))
    expect((await asker.visit(deployment)).status, `I5: ${deployment}`).toBe(404);
}

interface ManifestRow {
  deployment: string;
  path: string | null;
  sha256: string;
  size: number;
  pack: string | null;
  offset: number;
  length: number;
  state: string | null;
  listed: boolean;
  files: number;
  total: number;
}

/** I2: every file of every deployment has its bytes in a sealed pack that the deployment refers to. */
async function checkWhole({ database, packsDir }: World): Promise<void> {
  const rows = await database.query<ManifestRow>(`
    select d.id as deployment, f.path, encode(w.hash, 'hex') as sha256, f.size::float8 as size,
      c.pack_id as pack, c."offset"::float8 as "offset", c.length::float8 as length, p.state, dp.pack_id is not null as listed,
      d.files, d.size::float8 as total
    from deployment d
    left join manifest m on m.deployment_id = d.id
    left join lateral unnest(m.paths, m.sizes) with ordinality as f (path, size, position) on true
    cross join lateral (select substring(m.hashes from (f.position::int - 1) * 32 + 1 for 32) as hash) w
    left join content c on c.hash = w.hash
    left join pack p on p.id = c.pack_id
    left join deployment_pack dp on dp.deployment_id = d.id and dp.pack_id = c.pack_id
    where d.status = 'success'`);
  const handles = new Map<string, Awaited<ReturnType<typeof open>>>();
  try {
    for (const row of rows) {
      const { pack, offset, length } = row;
      expect(row, 'I2').toMatchObject({
        path: expect.any(String),
        pack: expect.any(String),
        state: 'sealed',
        listed: true,
        length: row.size,
      });
      const handle = handles.get(pack!) ?? (await open(join(packsDir, pack!.slice(0, 1), `${pack}.pack`)));
      handles.set(pack!, handle);
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
      expect(hash('sha256', buffer), `I2: the bytes of ${row.deployment}/${row.path}`).toBe(row.sha256);
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
  for (const [deployment, files] of Map.groupBy(rows, (row) => row.deployment))
    expect({ deployment, files: files.length, total: files.reduce((sum, { size }) => sum + size, 0) }, 'I2').toEqual({
      deployment,
      files: files[0]!.files,
      total: files[0]!.total,
    });
}

/** I4: the audit log has one entry for each deployment of an account. */
async function checkAuditLog({ database }: World): Promise<void> {
  const unrecorded = await database.query(`
    select d.id from deployment d where d.account_id is not null
      and 1 <> (select count(*) from activity where deployment = d.id and event = 'deployment.create')`);
  expect(unrecorded, 'I4: audit log').toEqual([]);
}

/** I6: each order has at most one deployment, and the client of a keyed order knows its deployment. */
async function checkOrders({ database, history }: World): Promise<void> {
  const rows = await database.query<{ deployment: string; marker: string }>(`
    select m.deployment_id as deployment, f.path as marker from manifest m cross join unnest(m.paths) as f (path) where f.path like 'order-%'`);
  const made = Map.groupBy(rows, ({ marker }) => marker);
  for (const { marker, key, broken } of history.orders) {
    const found = (made.get(marker) ?? []).map(({ deployment }) => deployment);
    const deployment = history.deployments.get(marker);
    if (deployment !== undefined && !history.deleted.has(deployment))
      expect(found, `I6: ${marker}`).toEqual([deployment]);
    else if (deployment !== undefined || key !== null || broken) expect(found, `I6: ${marker}`).toEqual([]);
    else expect(found.length, `I6: ${marker}`).toBeLessThanOrEqual(1);
  }
}
