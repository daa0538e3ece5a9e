import { randomBytes } from 'node:crypto';
import { sweep } from '@berth/core/jobs';
import { expectCounted } from '@berth/testing/invariants';
import { createRandom } from '@berth/testing/random';
import { type S3Operation, type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, withServer, type World } from './world.ts';

/** The number of kills at random requests. `KILLS=1000` runs longer. `KILL_SEED` chooses other requests. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const CLIENTS = 3;
const KEPT = { 'index.html': 'kept' };
/** Contents of many deployments, so that a pack whose deployment is deleted is often needed for one of them, and compacted. */
const SHARED = Array.from({ length: 6 }, (_, i) => `shared ${i}`.repeat(100));
const MAX_LIVE_DEPLOYMENTS = 6;

let stub: S3Stub;
const settings = () => ({ STORAGE_URL: stub.url, SECRET_KEY: 'ab'.repeat(32), COMPRESSION: 'off', ...stub.env });
beforeAll(async () => {
  stub = await startS3Stub();
});
afterAll(() => stub.close());

it.each<[S3Operation, number, 'before' | 'after']>([
  ['PutObject', 1_000, 'before'],
  ['PutObject', 1_000, 'after'],
  ['CreateMultipartUpload', 20_000_000, 'after'],
  ['UploadPart', 20_000_000, 'before'],
  ['UploadPart', 20_000_000, 'after'],
  ['CompleteMultipartUpload', 20_000_000, 'before'],
  ['CompleteMultipartUpload', 20_000_000, 'after'],
])(
  'I1 to I3: a server that is killed during %s of %s bytes, %s its effect, loses nothing and leaves nothing',
  async (operation, size, when) => {
    stub.objects.clear();
    stub.uploads.clear();
    const world = await createWorld(settings());
    try {
      const server = await world.start();
      const kept = await server.publish(KEPT);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const arrived = new Promise<void>((resolve) => (stub.onRequest = (name) => name === operation && resolve()));
      if (when === 'before') stub.fail(operation, held);
      else stub.fail(operation, 'lost answer', held);
      // The process repeats a request whose answer was lost, or asks for its outcome. It is killed before it knows.
      if (when === 'after') stub.fail('HeadObject', held);
      const deploying = server.deploy({ 'index.html': 'new', 'large.bin': randomBytes(size) }).catch(() => null);
      await arrived;
      if (when === 'after') await expect.poll(() => stub.requests.at(-1)?.operation).toBe(operation);
      server.child.kill('SIGKILL');
      await server.exited;
      release();
      await deploying;
      stub.onRequest = () => {};
      stub.clearFaults();

      await withServer(world.env(), async ({ visit }, { core }) => {
        await sweep(core, { graceMs: 0, bootStaleMs: 0, fenceWaitMs: 5_000 });
        expect((await visit(kept.deployment)).text).toBe(KEPT['index.html']);
        const packs = await Array.fromAsync(core.packs.list());
        const rows = await world.database.query<{ id: string }>('select id::text from pack');
        expect(packs.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
        expect(rows).toHaveLength(1);
        expect(stub.uploads.size).toBe(0);
      });
      await expectCounted(world.database);
    } finally {
      await world.drop();
    }
  },
);

/** Deploys and deletes until the server is killed. Records what the server has acknowledged, and forgets what it may have deleted. */
async function keepDeploying(
  server: Awaited<ReturnType<World['start']>>,
  random: () => number,
  live: Map<string, string>,
): Promise<void> {
  while (server.child.signalCode === null && server.child.exitCode === null) {
    const text = SHARED[Math.floor(random() * SHARED.length)]!;
    const size = random() < 0.3 ? 12_000_000 : 10_000;
    const response = await server.deploy({ 'index.html': text, 'large.bin': randomBytes(size) }).catch(() => null);
    if (response?.status !== 201) continue;
    const { deployment } = response.json<{ deployment: string }>();
    live.set(deployment, text);
    if (live.size <= MAX_LIVE_DEPLOYMENTS && random() < 0.6) continue;
    const [oldest] = live.keys();
    live.delete(oldest!);
    await server.api(`/deployments/${oldest}`, { method: 'DELETE' }).catch(() => null);
  }
}

it(
  `I1 to I3, C2: after each of ${KILLS} kills at random requests to the store, no object is without a row and no row without an object, seed ${SEED}`,
  { timeout: 60_000 + KILLS * 15_000 },
  async () => {
    stub.objects.clear();
    stub.uploads.clear();
    const random = createRandom(SEED);
    const world = await createWorld(settings());
    const live = new Map<string, string>();
    try {
      await withServer(world.env({ JOBS: 'off' }), async ({ visit, api }, { core }) => {
        for (let kill = 0; kill < KILLS; kill += 1) {
          // The next server sweeps at once, although the killed one may have the lease.
          await world.database.query(`update lease set until = '-infinity'`);
          const server = await world.start();
          let left = 1 + Math.floor(random() * 20);
          stub.onRequest = () => void ((left -= 1) === 0 && server.child.kill('SIGKILL'));
          await Promise.all(Array.from({ length: CLIENTS }, () => keepDeploying(server, random, live)));
          await server.exited;
          stub.onRequest = () => {};
          await expectObjects(world, `kill ${kill}`);
          // A session of the killed server may insert the row of a pack after a sweep. The next sweep removes it.
          const remains = async () => {
            await sweep(core, { graceMs: 0, bootStaleMs: 0, fenceWaitMs: 5_000 });
            return idsOf(world, `state <> 'sealed'`);
          };
          await expect.poll(remains, { message: `kill ${kill}` }).toEqual([]);
          expect((await Array.fromAsync(core.packs.list())).toSorted(), `kill ${kill}`).toEqual(
            await idsOf(world, 'true'),
          );
          expect(stub.uploads.size).toBe(0);
          for (const [deployment, text] of live) expect((await visit(deployment)).text, `kill ${kill}`).toBe(text);
          // What is deleted now is swept, and its packs are compacted, by the server that is killed next.
          for (const deployment of [...live.keys()].filter(() => random() < 0.5)) {
            live.delete(deployment);
            await api(`/deployments/${deployment}`, { method: 'DELETE' });
          }
        }
      });
      await expectCounted(world.database);
    } finally {
      await world.drop();
    }
  },
);

async function idsOf({ database }: World, condition: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select id::text from pack where ${condition} order by id`);
  return rows.map(({ id }) => id);
}

/** Checks that every sealed pack has an object, and that everything that is needed is in sealed packs. */
async function expectObjects(world: World, message: string): Promise<void> {
  const sealed = await idsOf(world, `state = 'sealed'`);
  const objects = new Set([...stub.objects.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1)));
  expect(
    sealed.filter((id) => !objects.has(id)),
    message,
  ).toEqual([]);
  const elsewhere = await world.database.query(`
    select from deployment d join manifest m on m.deployment_id = d.id
    cross join generate_series(1, octet_length(m.hashes) / 32) as position
    left join content c on c.hash = substring(m.hashes from (position - 1) * 32 + 1 for 32)
    left join pack p on p.id = c.pack_id
    left join deployment_pack n on n.deployment_id = d.id and n.pack_id = c.pack_id
    where d.status = 'success' and (p.state is distinct from 'sealed' or n.pack_id is null)`);
  expect(elsewhere, message).toEqual([]);
}
