import { randomBytes } from 'node:crypto';
import { ANONYMOUS, useTestCore, deploySite, readSite } from '@berth/testing/core';
import { expectSound, expectSwept, stateOf } from '@berth/testing/invariants';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';

const MiB = 1024 ** 2;
const indexBytes = (contents: number) => contents * 48 + 48;

const test = await useTestCore();
const { caller } = await test.account('scale');
const { caller: other } = await test.account('scale');
// Files, rows and contents that no deployment needs must be removed.
afterEach(async () => {
  await expectSwept(test);
  expect(test.core.activePacks.size).toBe(0);
});

const packSizes = async () =>
  (await test.database.query<{ size: string }>('select size from pack order by created, id')).map(({ size }) =>
    Number(size),
  );
const expectStoredOnce = async (bytes: Buffer) =>
  expect(await test.database.query('select 1 from content where hash = sha256($1)', [bytes])).toHaveLength(1);
async function expectServed(deployment: string, files: Record<string, Buffer>): Promise<void> {
  const servedSite = (await readSite(test.core, deployment))!;
  for (const [path, bytes] of Object.entries(files)) expect(servedSite[path]!.equals(bytes), path).toBe(true);
}

describe('storage §1: equal files are stored once', () => {
  it('if they belong to one deployment', async () => {
    const bytes = randomBytes(10_000);
    const sizesBefore = await packSizes();
    const { body } = await deploySite(test.core, caller, { a: bytes, 'b/c': bytes, d: randomBytes(100), e: bytes });
    expect(body).toMatchObject({ files: 4, size: 30_100 });
    expect((await packSizes()).slice(sizesBefore.length)).toEqual([10_100 + indexBytes(2)]);
    await expectServed(body.deployment, { a: bytes, 'b/c': bytes, e: bytes });
  });

  it('if they belong to several deployments, accounts or anonymous uploads', async () => {
    const files = { 'index.html': randomBytes(500), 'big.bin': randomBytes(2.5 * MiB) };
    await deploySite(test.core, caller, files);
    const sizesBefore = await packSizes();
    const repeatedDeploys = await Promise.all(
      [caller, other, ANONYMOUS].map((who) => deploySite(test.core, who, files)),
    );
    expect(await packSizes()).toEqual(sizesBefore);
    expect(new Set(repeatedDeploys.map(({ body }) => body.deployment)).size).toBe(3);
    for (const { body } of repeatedDeploys) await expectServed(body.deployment, files);
  });

  it('if a redeploy contains them: only the bytes of new files are stored', async () => {
    const knownFiles = { a: randomBytes(700_000), b: randomBytes(900_000), c: randomBytes(1.2 * MiB) };
    await deploySite(test.core, caller, knownFiles);
    const sizesBefore = await packSizes();
    const freshFiles = { new1: randomBytes(300_000), new2: randomBytes(1.1 * MiB), new3: randomBytes(1) };
    const [{ a, b, c }, { new1, new2, new3 }] = [knownFiles, freshFiles];
    const { body } = await deploySite(test.core, caller, { a, new1, b, new2, c, new3 });
    expect((await packSizes()).slice(sizesBefore.length)).toEqual([300_001 + Math.floor(1.1 * MiB) + indexBytes(3)]);
    await expectServed(body.deployment, { ...knownFiles, ...freshFiles });
    await expectSound(test);
  });

  it('P4: if twelve concurrent deploys contain them', async () => {
    const bytes = randomBytes(100_000);
    const sizesBefore = await packSizes();
    const finishedDeploys = await Promise.all(
      Array.from({ length: 12 }, (_, i) => deploySite(test.core, i % 2 ? caller : other, { 'index.html': bytes })),
    );
    expect(new Set(finishedDeploys.map(({ body }) => body.deployment)).size).toBe(12);
    await expectStoredOnce(bytes);
    expect((await packSizes()).slice(sizesBefore.length)).toEqual([100_000 + indexBytes(1)]);
    await expectSound(test);
  });

  it('P4: if concurrent deploys contain hundreds of them, beside hundreds that only one has', async () => {
    const filesOf = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${prefix}/${i}`, Buffer.from(`${prefix} ${i}`)]));
    const sites = ['a', 'b', 'c', 'd'].map((own) => ({ ...filesOf('shared'), ...filesOf(own) }));
    const finishedDeploys = await Promise.all(sites.map((files) => deploySite(test.core, caller, files)));
    for (const [i, { body }] of finishedDeploys.entries()) await expectServed(body.deployment, sites[i]!);
    await expectStoredOnce(Buffer.from('shared 7'));
    await expectSound(test);
  });

  it('L3: without a deadlock, even if concurrent deploys contain them in different orders', async () => {
    const deadlocks = () =>
      test.database.query(
        'select pg_stat_force_next_flush(), deadlocks from pg_stat_database where datname = current_database()',
      );
    // Slows down each insert, so that inserts in different orders would deadlock.
    await test.database.query(
      'create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.003); return new; end $$',
    );
    await test.database.query('create trigger linger before insert on content for each row execute function linger()');
    const deadlocksBefore = await deadlocks();
    const pool = Array.from({ length: 8 }, () => randomBytes(2_000));
    const [orders] = fc.sample(
      fc.array(fc.shuffledSubarray(pool, { minLength: 3, maxLength: 6 }), { minLength: 16, maxLength: 16 }),
      { numRuns: 1, seed: 7 },
    );
    const sites = orders!.map((contents) => contents.map((bytes, i) => [`f${i}`, bytes] as const));
    const finishedDeploys = await Promise.all(sites.map((files) => deploySite(test.core, caller, files)));
    await test.database.query('drop function linger cascade');
    expect(await deadlocks()).toEqual(deadlocksBefore);
    for (const [i, { body }] of finishedDeploys.entries())
      await expectServed(body.deployment, Object.fromEntries(sites[i]!));
    for (const bytes of pool) await expectStoredOnce(bytes);
    await expectSound(test);
  });
});

describe('a pool of one database connection', () => {
  it.each([
    ['of new contents', () => ({ a: randomBytes(200) })],
    ['of the empty file', () => ({ a: '' })],
    ['of contents larger than a batch', () => ({ a: randomBytes(1.5 * MiB), b: randomBytes(10) })],
  ])('is enough for concurrent deploys %s, because no deploy waits for a second connection', async (_, files) => {
    const withOneConnection = { ...test.core, database: openDatabase(test.database.address, { poolSize: 1 }) };
    const finishedDeploys = await Promise.all(
      Array.from({ length: 6 }, () => deploySite(withOneConnection, caller, files())),
    );
    await withOneConnection.database.close();
    expect(new Set(finishedDeploys.map(({ body }) => body.deployment)).size).toBe(6);
  });
});

describe('api §3: a deploy that fails leaves no rows and no packs', () => {
  const largeFiles = { 'a.bin': randomBytes(2.2 * MiB), 'b.bin': randomBytes(100) };

  it.each([
    ['its checksums are wrong', { checksums: '[]' }],
    ['a field is wrong', { ttl: 'soon' }],
  ])('if its files are on the disk and %s', async (_, fields) => {
    const stateBefore = await stateOf(test);
    await expect(deploySite(test.core, caller, largeFiles, { fields })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('P6: if the sweep has dropped its pack, and then gets a 503', async () => {
    const stateBefore = await stateOf(test);
    const createPack: Core['packs']['create'] = async (pack) => {
      const file = await test.core.packs.create(pack);
      return {
        ...file,
        async seal(size) {
          await file.seal(size);
          await test.database.query(`update pack set state = 'dead' where id = $1`, [pack]);
        },
      };
    };
    const withDroppedPack = { ...test.core, packs: { ...test.core.packs, create: createPack } };
    const outage = { code: 'unavailable', status: 503, retryAfterSeconds: expect.any(Number) };
    await expect(deploySite(withDroppedPack, caller, largeFiles, { key: 'asleep' })).rejects.toMatchObject(outage);
    expect(await stateOf(test)).toEqual(stateBefore);
  });
});

describe('P9: a connection that breaks during COMMIT', () => {
  /** Creates a core whose transactions commit but then fail with an error. */
  const withLostResponse = (fault: Error) => ({
    ...test.core,
    database: {
      ...test.core.database,
      async transaction<T>(work: Parameters<typeof test.core.database.transaction<T>>[0]): Promise<T> {
        await test.core.database.transaction(work);
        throw fault;
      },
    },
  });

  it.each([
    ['a known error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['an error of the driver', new Error('Connection terminated unexpectedly')],
    ['an unknown error', new Error('This socket has been ended by the other party')],
  ])('does not damage the deployment: a retry after %s returns the complete deployment', async (_, fault) => {
    const files = { 'index.html': randomBytes(3_000) };
    await expect(deploySite(withLostResponse(fault), caller, files, { key: fault.message })).rejects.toBe(fault);
    const { body, replayed } = await deploySite(test.core, caller, files, { key: fault.message });
    expect(replayed).toBe(true);
    await expectServed(body.deployment, files);
  });
});
