import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3Stub } from '@berth/testing/s3-stub';
import { openS3Stub } from './open-s3-stub.ts';
import { describePackStore } from '../pack-store-suite.ts';

describePackStore('an object store', async () => {
  const stub = await startS3Stub();
  const folder = await mkdtemp(join(tmpdir(), 'berth-s3-'));
  const { packs, close } = await openS3Stub(stub, folder);
  return {
    store: packs,
    async close() {
      await close();
      await stub.close();
      await rm(folder, { recursive: true });
    },
  };
});
