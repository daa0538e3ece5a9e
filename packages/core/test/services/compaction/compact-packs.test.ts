import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flipBit, packFile, readSite, whileLocked } from '@berth/testing/core';
import { expectSound, expectSwept, sweepAll } from '@berth/testing/invariants';
import { warningLog } from '@berth/testing/refused-rows';
import { afterAll, afterEach, expect, it } from 'vitest';
import { sampleSparsePacks } from '../../../src/services/compaction/candidates.ts';
import { compressDeployments } from '../../../src/services/compression/compress-deployments.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { enterFence } from '../../../src/services/packs/fence.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { openDiskPacks } from '../../../src/storage/disk-packs.ts';
import { openOwnS3Stub } from '../../storage/s3/open-s3-stub.ts';
import { createCompressionWorld, expectForms } from '../compression/compression-world.ts';
import { describeCompaction } from './compaction-suite.ts';

describeCompaction('the disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-compaction-'));
  return { store: await openDiskPacks(folder), close: () => rm(folder, { recursive: true }) };
});

describeCompaction('an object store', openOwnS3Stub);

const { log, warnings } = warningLog();
const world = await createCompressionWorld({ log });
const { test, core, caller, compressor, deploy, recorded } = world;
afterAll(() => world.close());
afterEach(async () => {
  await expectSound(test);
  const live = await test.database.query<{ id: string }>(`select id from deployment where status = 'success'`);
  for (const { id } of live) await remove(id);
  for (let i = 0; i < 3; i += 1) await sweepAll(test);
  await expectSwept(test);
  expect(await test.database.query('select from pack')).toEqual([]);
});

const remove = (deployment: string) => deleteDeployment({ core, caller }, deployment);
const packs = () => test.database.query<{ id: string; size: number }>('select id, size::int from pack order by id');

/** Publishes a large file beside small ones, and deletes the large one. @returns The site of the small ones, and the pack. */
async function publishSparse(files: Record<string, string | Uint8Array>, largeBytes: number) {
  const both = await deploy({ ...files, 'large.bin': randomBytes(largeBytes) });
  const [{ id: pack } = { id: '' }] = await packs();
  const site = await deploy({ ...files, 'own.bin': randomBytes(10) });
  await remove(both);
  return { site, pack };
}

it('W5: the grace time of a pack to which nothing refers does not begin again when the compaction examines it', async () => {
  await remove(await deploy({ 'large.bin': randomBytes(50_000) }));
  expect(await sweep(core)).toMatchObject({ deployments: 1, compacted: 0 });
  const suspects = () => test.database.query('select pack_id, since from pack_suspect');
  const before = await suspects();
  for (let i = 0; i < 2; i += 1) expect(await sweep(core)).toMatchObject({ compacted: 0, packs: 0 });
  expect(await suspects()).toEqual(before);
});

it('C1: a sample finds a pack of which less than half is needed, without its candidate, and leaves out the other packs', async () => {
  const { pack } = await publishSparse({ 'small.bin': randomBytes(100) }, 50_000);
  await deploy({ 'index.html': randomBytes(15_000).toString('hex'), 'photo.bin': randomBytes(20_000) });
  await compressDeployments(core, compressor);
  expect(await sweep(core, { compactionBytes: 0 })).toMatchObject({ compacted: 0 });
  await test.database.query('delete from compaction_candidate');
  expect((await packs()).length).toBeGreaterThan(3);
  expect(await sampleSparsePacks(core, 10)).toEqual([pack]);
  expect(await sweep(core)).toMatchObject({ compacted: 1 });
});

it('C1: compressed forms that are still needed move out of a pack whose other forms are gone', async () => {
  const texts = Array.from({ length: 5 }, () => randomBytes(15_000).toString('hex'));
  const all = await deploy(Object.fromEntries(texts.map((text, i) => [`${i}.html`, text])));
  await compressDeployments(core, compressor);
  const { pack: before } = [...(await recorded()).values()][0]!;
  const site = await deploy({ '0.html': texts[0]! });
  await remove(all);
  for (let i = 0; i < 4; i += 1) await sweepAll(test);
  expect([...(await recorded()).values()].map(({ pack }) => pack)).not.toContain(before);
  await expectForms(world, texts[0]!);
  expect((await packs()).map(({ id }) => id)).not.toContain(before);
  expect(Object.keys((await readSite(core, site))!)).toEqual(['0.html']);
});

it('C1, C2: a pack with many needed contents moves in parts, one in each run if the bytes of a run are spent', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`f${n}`, `content ${n}`]));
  const { site, pack } = await publishSparse(files, 700_000);
  for (const compacted of [0, 1]) {
    expect(await sweep(core, { graceMs: 0, compactionBytes: 1 })).toMatchObject({ compacted });
    await expectSound(test);
  }
  expect((await packs()).map(({ id }) => id)).not.toContain(pack);
  expect(Object.keys((await readSite(core, site))!)).toHaveLength(1_101);
});

it('C2: a pack is left to the next run while deploys hold the fence', async () => {
  const { pack } = await publishSparse({ 'small.txt': 'small' }, 50_000);
  await whileLocked(core, enterFence, async () => {
    expect(await sweepAll(test)).toMatchObject({ compacted: 0 });
  });
  expect(await packs()).toHaveLength(2);
  expect(await sweepAll(test)).toMatchObject({ compacted: 1 });
  expect((await packs()).map(({ id }) => id)).not.toContain(pack);
});

it('C1: a pack with damaged bytes is logged and postponed, and nothing moves', async () => {
  const { pack } = await publishSparse({ 'small.txt': 'a small text' }, 50_000);
  await flipBit(packFile(test, pack), 3);
  const before = await packs();
  await sweepAll(test);
  expect(await packs()).toEqual(before);
  expect(warnings).toMatchObject([{ task: 'compact packs', pack }]);
  const due = 'select from compaction_candidate where pack_id = $1 and due > now()';
  expect(await test.database.query(due, [pack])).toHaveLength(1);
  await flipBit(packFile(test, pack), 3);
});
