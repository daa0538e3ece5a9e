import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sweep } from '@berth/core/jobs';
import { expectCounted, expectSwept } from '@berth/testing/invariants';
import type { TestClient } from '@berth/testing/requests';
import { expect } from 'vitest';
import { DOMAIN, KEPT_VERSIONS } from './history.ts';
import { withServer, type World } from './world.ts';

/** Only this number of recent orders and deletions is checked each time. */
const RECENT_COUNT = 6;

/**
 * Restarts a server on the data that a crash left, lets clients retry unanswered requests, sweeps without grace periods, and checks every
 * invariant of the storage. All must hold after any crash.
 * Source: storage I1 to I7, I9.
 */
export async function checkInvariants(world: World): Promise<void> {
  await withServer(world.env(), async (client, { core }) => {
    await settleAndReplay(world, client);
    await sweep(core, { graceMs: 0, bootStaleMs: 0, fenceWaitMs: 5_000 });
    await checkServed(world, client);
  });
  await checkManifests(world);
  await expectSwept(world);
  await expectCounted(world.database);
  await checkAuditLog(world);
  await checkOrders(world);
  await checkDomain(world);
}

/** Checks the invariants that can be observed while a server runs without other requests. */
export async function checkRestarted(world: World, client: TestClient): Promise<void> {
  await settleAndReplay(world, client);
  await checkServed(world, client);
  await checkManifests(world);
  await expectCounted(world.database);
  await checkAuditLog(world);
}

/** Checks I6: a repeated request gets the same response. Checks I9: no response is a fault. */
async function settleAndReplay({ history }: World, client: TestClient): Promise<void> {
  await history.settle(client);
  const smallOrders = history.orders.filter(
    ({ key, marker, files }) => key !== null && history.deployments.has(marker) && !files['big.txt'],
  );
  await Promise.all(smallOrders.slice(-RECENT_COUNT).map((order) => history.send(client, order)));
  expect(history.faults, 'I9: no response is a fault').toEqual([]);
}

/** Checks I1: every deployment with a 201 is served byte for byte. Checks I5: every deleted deployment is gone. */
async function checkServed({ history }: World, client: TestClient): Promise<void> {
  for (const { marker, files } of history.live()) {
    const deployment = history.deployments.get(marker)!;
    const served = await Promise.all(
      Object.entries(files).map(async ([path, bytes]) => {
        const { status, headers, bytes: body } = await client.visit(deployment, `/${path}`);
        const isWhole = body.equals(Buffer.from(bytes));
        return { path, status, isWhole, etag: headers['etag'], type: headers['content-type'] };
      }),
    );
    const expected = Object.entries(files).map(([path, bytes]) => ({
      path,
      status: 200,
      isWhole: true,
      etag: `"${hash('sha256', bytes).slice(0, 32)}"`,
      type: path.endsWith('.html') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    }));
    expect(served, `I1: ${deployment}`).toEqual(expected);
  }
  for (const deployment of [...history.deleted.keys()].slice(-RECENT_COUNT))
    expect((await client.visit(deployment)).status, `I5: ${deployment}`).toBe(404);
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

/** Checks I2: every file of every deployment has its bytes in a sealed pack that the deployment refers to. */
async function checkManifests({ database, packsDir }: World): Promise<void> {
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

/** Checks I4: the audit log has exactly one entry for the creation of each deployment of an account. */
async function checkAuditLog({ database }: World): Promise<void> {
  const unrecordedDeployments = await database.query(`
    select d.id from deployment d where d.account_id is not null
      and 1 <> (select count(*) from activity where deployment = d.id and event = 'deployment.create')`);
  expect(unrecordedDeployments, 'I4: audit log').toEqual([]);
}

/** Checks I6: each order has at most one deployment, and the client of an order with a key knows the deployment. */
async function checkOrders({ database, history }: World): Promise<void> {
  const rows = await database.query<{ deployment: string; marker: string }>(`
    select m.deployment_id as deployment, f.path as marker from manifest m cross join unnest(m.paths) as f (path) where f.path like 'order-%'`);
  const deploymentsOf = Map.groupBy(rows, ({ marker }) => marker);
  for (const { marker, key, broken } of history.orders) {
    const deploymentIds = (deploymentsOf.get(marker) ?? []).map(({ deployment }) => deployment);
    const deployment = history.deployments.get(marker);
    if (deployment !== undefined && !history.deleted.has(deployment))
      expect(deploymentIds, `I6: ${marker}`).toEqual([deployment]);
    else if (deployment !== undefined || key !== null || broken) expect(deploymentIds, `I6: ${marker}`).toEqual([]);
    else expect(deploymentIds.length, `I6: ${marker}`).toBeLessThanOrEqual(1);
  }
}

/**
 * Checks I7: every deploy with a domain linked its deployment exactly once, the domain shows the deployment that was linked
 * last, and exactly the newest versions remain.
 */
async function checkDomain({ database, history }: World): Promise<void> {
  const published = history.orders.flatMap(({ linked, marker }) => (linked && history.deployments.get(marker)) || []);
  const versions = await database.query<{ deployment: string; remains: boolean; shown: boolean }>(
    `select v.deployment, d.id is not null as remains, o.id is not null as shown from domain_version v
     left join deployment d on d.id = v.deployment and d.status = 'success'
     left join domain o on o.deployment_id = v.deployment and o.name = v.domain
     where v.domain = $1 order by v.id desc`,
    [DOMAIN],
  );
  expect(versions.map(({ deployment }) => deployment).toSorted(), 'I7: versions').toEqual(published.toSorted());
  for (const [age, version] of versions.entries())
    expect(version, `I7: version ${age}`).toMatchObject({ remains: age < KEPT_VERSIONS, shown: age === 0 });
}
