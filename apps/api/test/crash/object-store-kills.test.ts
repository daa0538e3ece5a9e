import { randomBytes } from 'node:crypto';
import { sweep } from '@berth/core/jobs';
import { expectCounted } from '@berth/testing/invariants';
import { type S3Operation, type S3Stub, startS3Stub } from '@berth/testing/s3-stub';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, withServer } from './world.ts';

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
