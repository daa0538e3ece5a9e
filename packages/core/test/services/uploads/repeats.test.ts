import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { createTestCore } from '@berth/testing/core';
import { closeSwept } from '@berth/testing/invariants';
import { begin, listOf, send, sendMissing, uploadAll } from '@berth/testing/uploads';

const test = await createTestCore();
const { core } = test;
const { caller } = await test.account('pro');
afterAll(() => closeSwept(test));

const rows = async () => {
  const [row] = await test.database.query<{ contents: number; packs: number; bytes: number }>(`
    select (select count(*)::int from upload_content) as contents, (select count(*)::int from upload_pack) as packs,
      (select coalesce(sum(octet_length(hashes)), 0)::int from upload_content) as bytes`);
  return row!;
};
const site = () => Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${i}.txt`, randomUUID()]));

describe('api §9: contents that were already received', () => {
  it('are accepted and ignored: repeating a body records nothing more', async () => {
    const files = site();
    const begunUpload = await uploadAll(core, caller, files);
    const before = await rows();
    for (let i = 0; i < 5; i += 1)
      expect(await sendMissing(core, caller, begunUpload, files)).toEqual({ received: 20, missing: 0 });
    for (let i = 0; i < 5; i += 1)
      expect(await send(core, caller, begunUpload.upload, [])).toEqual({ received: 0, missing: 0 });
    expect(await rows()).toEqual(before);
    await commitUpload({ core, caller }, begunUpload.upload);
  });

  it('are recorded once if the same body arrives many times at once', async () => {
    const before = await rows();
    const files = site();
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    await Promise.all(Array.from({ length: 8 }, () => sendMissing(core, caller, begunUpload, files)));
    expect((await rows()).bytes - before.bytes).toBe(20 * 32);
    await commitUpload({ core, caller }, begunUpload.upload);
  });

  it('are ignored, while new ones in the same body are recorded', async () => {
    const files = site();
    const all = Object.values(files);
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    const before = await rows();
    const body = (from: number, to: number) =>
      send(
        core,
        caller,
        begunUpload.upload,
        all.slice(from, to).map((bytes) => ({ bytes })),
      );
    expect(await body(0, 8)).toEqual({ received: 8, missing: 12 });
    expect(await body(4, 20)).toEqual({ received: 16, missing: 0 });
    expect((await rows()).bytes - before.bytes).toBe(20 * 32);
    await commitUpload({ core, caller }, begunUpload.upload);
  });

  it('are not written to the disk: not even a file is created', async () => {
    const big = randomBytes(3_000_000);
    const begunUpload = await begin(core, caller, { files: listOf({ 'big.bin': big }) });
    await send(core, caller, begunUpload.upload, [{ bytes: big }]);
    let files = 0;
    const create: Core['packs']['create'] = (id) => {
      files += 1;
      return core.packs.create(id);
    };
    const counted = { ...core, packs: { ...core.packs, create } };
    expect(await send(counted, caller, begunUpload.upload, [{ bytes: big }])).toEqual({ received: 1, missing: 0 });
    expect(files).toBe(0);
    await commitUpload({ core, caller }, begunUpload.upload);
  });
});

describe('api §9: concurrent commits of one upload', () => {
  it('run one after the other and return the same deployment', async () => {
    const files = site();
    const begunUpload = await uploadAll(core, caller, files);
    const database = openDatabase(test.database.address, { poolSize: 4 });
    let reading = 0;
    let most = 0;
    const counted: Core = {
      ...core,
      database: {
        ...database,
        async transaction(work) {
          most = Math.max(most, (reading += 1));
          try {
            return await database.transaction(work);
          } finally {
            reading -= 1;
          }
        },
      },
    };
    try {
      const bodies = await Promise.all(
        Array.from({ length: 100 }, () => commitUpload({ core: counted, caller }, begunUpload.upload)),
      );
      expect(new Set(bodies.map(({ deployment }) => deployment)).size).toBe(1);
      expect(most).toBe(1);
    } finally {
      await database.close();
    }
  });
});
