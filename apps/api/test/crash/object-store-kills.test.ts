import { randomBytes } from 'node:crypto';
import { sweep } from '@berth/core/jobs';
import { expectCounted } from '@berth/testing/invariants';
import { createRandom } from '@berth/testing/random';
import { type S3Operation, type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, withServer, type World } from './world.ts';

/** The number of kills at random requests. `KILLS=1000` runs longer. */
const KILLS = Number(process.env['KILLS'] ?? 4);
const CLIENTS = 3;
const KEPT = { 'index.html': 'kept' };

let stub: S3Stub;
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
    const world = await createWorld({ STORAGE_URL: stub.url, ...stub.env, COMPRESSION: 'off' });
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
    const text = String(random());
    const size = random() < 0.3 ? 12_000_000 : 10_000;
    const response = await server.deploy({ 'index.html': text, 'large.bin': randomBytes(size) }).catch(() => null);
    if (response?.status !== 201) continue;
    const { deployment } = response.json<{ deployment: string }>();
    if (random() < 0.4) await server.api(`/deployments/${deployment}`, { method: 'DELETE' }).catch(() => null);
    else live.set(deployment, text);
  }
}

it(
  `I1 to I3: after each of ${KILLS} kills at random requests to the store, nothing acknowledged is lost and nothing is left`,
  { timeout: 60_000 + KILLS * 15_000 },
  async () => {
    stub.objects.clear();
    stub.uploads.clear();
    const random = createRandom(KILLS);
    const world = await createWorld({ STORAGE_URL: stub.url, ...stub.env, COMPRESSION: 'off' });
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const live = new Map<string, string>();
        const server = await world.start();
        let left = 1 + Math.floor(random() * 20);
        stub.onRequest = () => void ((left -= 1) === 0 && server.child.kill('SIGKILL'));
        await Promise.all(Array.from({ length: CLIENTS }, () => keepDeploying(server, random, live)));
        await server.exited;
        stub.onRequest = () => {};
        await withServer(world.env(), async ({ visit, api }, { core }) => {
          const stored = async () => (await Array.fromAsync(core.packs.list())).toSorted();
          const rows = async (condition: string) => {
            const query = `select id::text from pack where ${condition} order by id`;
            return (await world.database.query<{ id: string }>(query)).map(({ id }) => id);
          };
          const objects = new Set(await stored());
          expect(
            (await rows(`state = 'sealed'`)).filter((id) => !objects.has(id)),
            `kill ${kill}`,
          ).toEqual([]);
          // A session of the killed server may insert the row of a pack after a sweep. The next sweep removes it.
          const remains = async () => {
            await sweep(core, { graceMs: 0, bootStaleMs: 0, fenceWaitMs: 5_000 });
            return rows(`state <> 'sealed'`);
          };
          await expect.poll(remains, { message: `kill ${kill}` }).toEqual([]);
          expect(await stored(), `kill ${kill}`).toEqual(await rows('true'));
          expect(stub.uploads.size).toBe(0);
          for (const [deployment, text] of live) {
            expect((await visit(deployment)).text, `kill ${kill}`).toBe(text);
            await api(`/deployments/${deployment}`, { method: 'DELETE' });
          }
        });
      }
      await expectCounted(world.database);
    } finally {
      await world.drop();
    }
  },
);
