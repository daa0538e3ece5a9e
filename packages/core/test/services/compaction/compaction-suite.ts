import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { StoredBytes } from '@berth/serving';
import { createTestCore, deploySite, readSite, type TestCore } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import { begin, listOf, sendMissing } from '@berth/testing/uploads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { armFailpoint, type Failpoint } from '../../../src/failpoints.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { readContent, streamContent } from '../../../src/services/packs/moved-contents.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import type { StoreUnderTest } from '../../storage/pack-store-suite.ts';

const HOUR_MS = 3_600_000;
const BIG_BYTES = 300_000;

/** Declares the tests of the compaction that must pass with packs in any store. Source: storage C1 to C3. */
export function describeCompaction(name: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`Compaction with packs on ${name}`, () => {
    let opened: StoreUnderTest;
    let test: TestCore;
    let core: Core;
    let caller: AccountCaller;
    beforeAll(async () => {
      opened = await openStore();
      test = await createTestCore({ packs: opened.store });
      ({ core } = test);
      ({ caller } = await test.account('scale'));
    });
    afterEach(async () => {
      await expectSettled();
      const live = await test.database.query<{ id: string }>(`select id from deployment where status = 'success'`);
      for (const { id } of live) await remove(id);
      await sweepNow();
      await sweepNow();
      expect(await test.database.query('select from pack')).toEqual([]);
      expect(await Array.fromAsync(core.packs.list())).toEqual([]);
    });
    afterAll(async () => {
      await test.close();
      await opened.close();
    });

    const deploy = async (files: Record<string, string | Uint8Array>) =>
      (await deploySite(core, caller, files)).body.deployment;
    const remove = (deployment: string) => deleteDeployment({ core, caller }, deployment);
    const sweepNow = (of = core) => sweep(of, { graceMs: 0 });
    const packRows = () =>
      test.database.query<{ id: string; size: number }>('select id, size::int from pack order by id');
    const packsOf = async (deployment: string) =>
      (
        await test.database.query<{ id: string }>(
          'select pack_id as id from deployment_pack where deployment_id = $1 order by 1',
          [deployment],
        )
      ).map(({ id }) => id);

    const locationOf = async (bytes: Uint8Array) =>
      (
        await test.database.query<StoredBytes>(
          `select encode(hash, 'hex') as sha256, pack_id as pack, "offset"::float8 as "offset", length::float8 as length
           from content where hash = sha256($1)`,
          [bytes],
        )
      )[0]!;

    /** Checks I1 to I4, and that the store has exactly the packs that have rows and contents. */
    async function expectSettled(): Promise<void> {
      for (let i = 0; i < 3; i += 1) await sweepNow();
      await expectSound(test);
      const rows = (await packRows()).map(({ id }) => id);
      expect((await Array.fromAsync(core.packs.list())).toSorted()).toEqual(rows);
      const filled = await test.database.query<{ id: string }>('select distinct pack_id as id from content order by 1');
      expect(filled.map(({ id }) => id)).toEqual(rows);
      expect([...core.activePacks]).toEqual([]);
    }

    /** Publishes a big file beside a small one, and deletes the big one. @returns What remains, and the pack of both. */
    async function publishSparse() {
      const small = randomBytes(100);
      const big = randomBytes(BIG_BYTES);
      const both = await deploy({ 'big.bin': big, 'small.bin': small });
      const [pack] = await packsOf(both);
      const site = await deploy({ 'small.bin': small, 'own.bin': randomBytes(10) });
      await remove(both);
      return { site, small, big, pack: pack! };
    }

    /** A core that calls `act` once, before the compaction reads the contents of a pack. */
    function whileCopying(act: () => Promise<unknown>): Core {
      let acted: Promise<unknown> | null = null;
      const packs: Core['packs'] = {
        ...core.packs,
        scan() {
          const reader = core.packs.scan();
          const stream: typeof reader.stream = (place) =>
            Readable.from(
              (async function* () {
                await (acted ??= act());
                yield* reader.stream(place) as AsyncIterable<Buffer>;
              })(),
              { objectMode: false },
            );
          return { ...reader, stream };
        },
      };
      return { ...core, packs };
    }

    it('C1, C2: frees deleted bytes although a small neighbour in their pack is still needed', async () => {
      const { site, small, pack } = await publishSparse();
      expect(await sweepNow()).toMatchObject({ deployments: 1, compacted: 1, packs: 1 });
      expect((await packRows()).map(({ id }) => id)).not.toContain(pack);
      expect((await packRows()).reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1_000);
      expect((await readSite(core, site))!['small.bin']!.equals(small)).toBe(true);
    });

    it('C1: leaves a pack alone of which half is needed', async () => {
      const kept = randomBytes(BIG_BYTES);
      const both = await deploy({ 'a.bin': kept, 'b.bin': randomBytes(BIG_BYTES - 1_000) });
      const [pack] = await packsOf(both);
      const site = await deploy({ 'a.bin': kept });
      await remove(both);
      expect(await sweepNow()).toMatchObject({ compacted: 0 });
      expect(await packsOf(site)).toEqual([pack]);
    });

    it('C3: keeps the old pack for the grace time, and readers with an old location find the new one afterwards', async () => {
      const { small } = await publishSparse();
      const loaded = await locationOf(small);
      expect(await sweep(core, { graceMs: HOUR_MS })).toMatchObject({ compacted: 1, packs: 0 });
      expect((await core.packs.read(loaded)).equals(small)).toBe(true);
      await sweepNow();
      await expect(core.packs.read(loaded)).rejects.toMatchObject({ code: 'ENOENT' });
      expect((await readContent(core, loaded)).equals(small)).toBe(true);
      expect((await buffer(streamContent(core, loaded))).equals(small)).toBe(true);
      const missing = { ...loaded, sha256: '0'.repeat(64) };
      await expect(readContent(core, missing)).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(buffer(streamContent(core, missing))).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('I2: a deploy that begins to use unneeded contents of a pack during its compaction keeps the pack', async () => {
      const { site, small, big, pack } = await publishSparse();
      let joined = '';
      await sweepNow(whileCopying(async () => void (joined = await deploy({ 'small.bin': small, 'big.bin': big }))));
      expect(await packsOf(joined)).toContain(pack);
      for (const id of [site, joined]) expect((await readSite(core, id))!['small.bin']!.equals(small)).toBe(true);
      await expectSound(test);
      await sweepNow();
      expect((await readSite(core, joined))!['big.bin']!.equals(big)).toBe(true);
    });

    it('I2: a deploy that begins to use needed contents of a pack during its compaction refers to the new pack', async () => {
      const { small, pack } = await publishSparse();
      let joined = '';
      await sweepNow(whileCopying(async () => void (joined = await deploy({ 'small.bin': small }))));
      await expectSound(test);
      for (let i = 0; i < 2; i += 1) await sweepNow();
      expect(await packsOf(joined)).not.toContain(pack);
      expect((await readSite(core, joined))!['small.bin']!.equals(small)).toBe(true);
    });

    it('P10: an open upload keeps contents that it need not send, before, during and after a compaction', async () => {
      const { site, small, pack } = await publishSparse();
      const files = { 'small.bin': small, 'new.bin': randomBytes(50) };
      const beginOne = () => begin(core, caller, { files: listOf(files) });
      const before = await beginOne();
      let during = before;
      await sweepNow(whileCopying(async () => void (during = await beginOne())));
      const after = await beginOne();
      await remove(site);
      for (let i = 0; i < 2; i += 1) await sweepNow();
      for (const upload of [before, during, after]) {
        expect(upload.missing).toHaveLength(1);
        await sendMissing(core, caller, upload, files);
        const { deployment } = await commitUpload({ core, caller }, upload.upload);
        expect((await readSite(core, deployment))!['small.bin']!.equals(small)).toBe(true);
      }
      await expectSettled();
      expect((await packRows()).map(({ id }) => id)).not.toContain(pack);
    });

    it.each<Failpoint>([
      'pack.recorded',
      'pack.sealed',
      'compaction.copied',
      'compaction.moved',
      'compaction.committed',
      'compaction.released',
    ])('I1 to I3: a compaction that fails at %s loses nothing, and the next one finishes', async (failpoint) => {
      const { site, small, pack } = await publishSparse();
      armFailpoint(failpoint, () => {
        throw new Error('stopped by the test');
      });
      await sweep(core, { graceMs: HOUR_MS });
      armFailpoint('');
      await expectSound(test);
      expect((await readSite(core, site))!['small.bin']!.equals(small)).toBe(true);
      await test.database.query('update compaction_candidate set due = now()');
      await expectSettled();
      expect((await packRows()).map(({ id }) => id)).not.toContain(pack);
      expect((await readSite(core, site))!['small.bin']!.equals(small)).toBe(true);
    });
  });
}
