import { randomBytes } from 'node:crypto';
import {
  anotherProcess,
  checksumsOf,
  useTestCore,
  deploySite,
  insertPack,
  readSite,
  untilLockIsAwaited,
  whileLocked,
} from '@berth/testing/core';
import { expectSound, expectSwept, sweepAll } from '@berth/testing/invariants';
import { refuseRows, warningLog } from '@berth/testing/refused-rows';
import { begin, listOf, sendMissing, sha256Of } from '@berth/testing/uploads';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { tryCloseFence, enterFence } from '../../../src/services/packs/fence.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';
import { receiveContents } from '../../../src/services/uploads/receive-contents.ts';
import { DEFAULT_SWEEP, recordHeartbeat, removeOwnAbandonedPacks, sweep } from '../../../src/services/sweep/sweep.ts';

const HOUR_SECONDS = 3_600;
const MiB = 1024 ** 2;

const test = await useTestCore();
const { core } = test;
const { caller } = await test.account();
afterEach(async () => {
  await expectSound(test);
  const liveDeployments = await test.database.query<{ id: string }>(
    `select id from deployment where status = 'success'`,
  );
  for (const { id } of liveDeployments) await remove(id);
  await sweepAll(test);
  await expectSwept(test);
});

const deploy = async (files: Record<string, string | Uint8Array> = { 'index.html': randomBytes(100) }) =>
  (await deploySite(core, caller, files)).body.deployment;
const remove = (deployment: string) => deleteDeployment({ core, caller }, deployment);
const packs = () => test.database.query<{ id: string; state: string }>('select id, state from pack order by id');
const files = async () => (await Array.fromAsync(core.packs.list())).toSorted();

/** Starts an upload and returns it after it has written to the disk. */
async function uploadInProgress(of: Core) {
  const bytes = randomBytes(2.1 * MiB);
  const upload = await beginDeploy({ core: of, caller }, null);
  upload.form.add('checksums', checksumsOf({ big: bytes }));
  const sink = upload.files.begin('big');
  for (let at = 0; at < bytes.length; at += MiB) await sink.write(bytes.subarray(at, at + MiB));
  sink.end();
  await expect.poll(files, { timeout: 10_000 }).toHaveLength(1);
  return upload;
}

describe('W2, W5: packs that no deployment refers to', () => {
  it('are removed with their contents after the grace time, but not earlier', async () => {
    await remove(await deploy());
    const emptySweep = { expired: 0, deployments: 1, packs: 0, compacted: 0, fenced: true };
    expect(await sweep(core, { graceMs: HOUR_SECONDS * 1000 })).toEqual(emptySweep);
    expect(await packs()).toMatchObject([{ state: 'sealed' }]);
    await test.database.query(`update pack_suspect set since = since - interval '1 hour'`);
    expect(await sweep(core, { graceMs: HOUR_SECONDS * 1000 })).toMatchObject({ packs: 1 });
    await expectSwept(test);
    expect(await files()).toEqual([]);
    expect(await test.database.query('select 1 from content')).toEqual([]);
  });

  it('are kept for 24 hours by default', async () => {
    expect(DEFAULT_SWEEP).toMatchObject({ graceMs: 24 * HOUR_SECONDS * 1000, bootStaleMs: 600_000 });
    await remove(await deploy());
    await sweep(core);
    expect(await packs()).toHaveLength(1);
  });

  it('do not include packs that a deployment needs, however old these are', async () => {
    const sharedFiles = { 'shared.bin': randomBytes(5_000) };
    const [first, second] = [await deploy(sharedFiles), await deploy({ ...sharedFiles, 'own.bin': randomBytes(10) })];
    await remove(first);
    test.advance(1_000 * HOUR_SECONDS);
    await recordHeartbeat(core);
    expect(await sweepAll(test)).toMatchObject({ deployments: 1, packs: 0 });
    expect((await readSite(core, second))!['shared.bin']!.equals(sharedFiles['shared.bin'])).toBe(true);
    await remove(second);
    expect(await sweepAll(test)).toMatchObject({ deployments: 1, packs: 2 });
  });

  it('are removed in batches of limited size', async () => {
    for (let i = 0; i < 5; i += 1) await remove(await deploy());
    for (const count of [2, 2, 1])
      expect(await sweep(core, { graceMs: 0, batch: 2 })).toMatchObject({ deployments: count, packs: count });
    await expectSwept(test);
  });

  it('are removed without errors if several sweeps run at the same time', async () => {
    for (let i = 0; i < 6; i += 1) await remove(await deploy());
    const otherProcesses = await Promise.all([anotherProcess(test), anotherProcess(test)]);
    await Promise.all([core, core, ...otherProcesses].map((process) => sweep(process, { graceMs: 0 })));
    await sweepAll(test);
    expect(await files()).toEqual([]);
  });

  it('cannot include packs that a deployment needs, because the database refuses to mark these as dead', async () => {
    await deploy();
    await expect(test.database.query(`update pack set state = 'dead'`)).rejects.toThrow();
    await expect(test.database.query('delete from pack')).rejects.toThrow();
  });
});

describe('W1: the fence', () => {
  /** Runs `work` while a deploy holds the fence. */
  const whileFenced = (work: (leave: () => Promise<void>) => Promise<void>) => whileLocked(core, enterFence, work);

  it('keeps the sweep from removing packs while a deploy holds it, but not from other work', async () => {
    await remove(await deploy());
    await whileFenced(async () => {
      await insertPack(test, 'dead');
      expect(await sweepAll(test)).toEqual({ expired: 0, deployments: 1, packs: 1, compacted: 0, fenced: false });
      expect(await packs()).toMatchObject([{ state: 'sealed' }]);
    });
    expect(await sweepAll(test)).toMatchObject({ packs: 1, fenced: true });
  });

  it('is closed by a sweep with `fenceWaitMs` as soon as the running deploys have released it', async () => {
    await remove(await deploy());
    await whileFenced(async (leave) => {
      const sweepResult = sweep(core, { graceMs: 0, fenceWaitMs: 60_000 });
      await untilLockIsAwaited(test);
      await leave();
      expect(await sweepResult).toMatchObject({ packs: 1, fenced: true });
    });
  });

  it('delays the other work of the sweep by at most `fenceWaitMs`', async () => {
    await remove(await deploy());
    await whileFenced(async () => {
      const report = await sweep(core, { graceMs: 0, fenceWaitMs: 50 });
      expect(report).toEqual({ expired: 0, deployments: 1, packs: 0, compacted: 0, fenced: false });
    });
  });

  it('leaves the transaction usable if it could not be closed', async () => {
    await whileFenced(async () => {
      await core.database.transaction(async (em) => {
        expect(await tryCloseFence(em, 30)).toBe(false);
        expect((await sql`select 1 as one`.execute(em.getKysely())).rows).toEqual([{ one: 1 }]);
      });
    });
  });

  it('can be held by several deploys at the same time', () =>
    whileFenced(async () => void (await Promise.all([deploy(), deploy(), deploy()]))));
});

describe('W3: an interrupted removal of a pack', () => {
  it.each([
    ['before the file was removed', false],
    ['after the file was removed', true],
  ])('is finished by the next sweep, if it stopped %s', async (_, isFileRemoved) => {
    await remove(await deploy());
    await sweep(core);
    const [pack] = await packs();
    await test.database.query(`delete from content`);
    await test.database.query(`update pack set state = 'dead'`);
    if (isFileRemoved) await core.packs.remove(pack!.id);
    expect(await sweepAll(test)).toMatchObject({ packs: 1 });
  });

  it('is retried after an error of the store, keeps the row until the file is removed, and does not block other packs', async () => {
    for (let i = 0; i < 4; i += 1) await remove(await deploy());
    await sweep(core);
    await test.database.query('delete from content');
    await test.database.query(`update pack set state = 'dead'`);
    const [first, second] = await packs();
    const { log, warnings } = warningLog();
    const unremovablePacks = new Set([first!.id, second!.id]);
    const store = {
      ...core.packs,
      remove: (id: string) =>
        unremovablePacks.has(id) ? Promise.reject(new Error('no such disk')) : core.packs.remove(id),
    };
    expect(await sweep({ ...core, log, packs: store }, { graceMs: 0, batch: 2 })).toMatchObject({ packs: 2 });
    expect(await packs()).toEqual([first, second]);
    expect(await files()).toEqual([...unremovablePacks].toSorted());
    const err = { message: 'no such disk' };
    expect(warnings).toMatchObject([...unremovablePacks].map((pack) => ({ task: 'remove dead packs', pack, err })));
    expect(await sweepAll(test)).toMatchObject({ packs: 2 });
  });
});

describe('a deleted deployment whose rows cannot be removed', () => {
  it('does not block other deployments, is named in the log, and is removed by a later run', async () => {
    const deployments = [await deploy(), await deploy(), await deploy()].toSorted();
    for (const id of deployments) await remove(id);
    const accept = await refuseRows(test.database, 'delete on deployment', `old.id = '${deployments[0]}'`);
    const { log, warnings } = warningLog();
    for (let run = 0; run < 2; run += 1)
      expect(await sweep({ ...core, log }, { batch: 1 })).toMatchObject({ deployments: 1 });
    expect(await test.database.query('select id from deployment')).toEqual([{ id: deployments[0] }]);
    expect(warnings[0]).toMatchObject({ task: 'remove deleted deployments', deployment: deployments[0] });
    await accept();
    expect(await sweepAll(test)).toMatchObject({ deployments: 1 });
  });
});

describe('a step of the sweep that fails', () => {
  it('is named in the log and reported, and does not stop the steps after it', async () => {
    await insertPack(test, 'dead');
    await test.database.query('alter table idempotency_record rename to away');
    const { log, warnings } = warningLog();
    await expect(sweep({ ...core, log }, { graceMs: 0 })).rejects.toMatchObject({ code: '42P01' });
    expect(warnings).toMatchObject([{ task: 'delete old idempotency records', err: { code: '42P01' } }]);
    expect(await packs()).toEqual([]);
    await test.database.query('alter table away rename to idempotency_record');
  });

  it('is the last step of the sweep if the database is down', async () => {
    const database = openDatabase({ ...test.database.address, socketDir: '/nowhere' });
    const { log, warnings } = warningLog();
    await expect(sweep({ ...core, database, log })).rejects.toThrow();
    expect(warnings).toHaveLength(1);
    await database.close();
  });
});

describe('W4: open packs', () => {
  it('are kept while their upload is running in this process', async () => {
    const upload = await uploadInProgress(core);
    await sweepAll(test);
    expect(await packs()).toMatchObject([{ state: 'open' }]);
    const { body } = await upload.commit();
    await upload.close();
    expect(Object.keys((await readSite(core, body.deployment))!)).toEqual(['big']);
  });

  it('are kept while the process of their upload has a recent heartbeat, however long the upload takes', async () => {
    const otherProcess = await anotherProcess(test);
    const upload = await uploadInProgress(otherProcess);
    test.advance(20 * HOUR_SECONDS);
    await recordHeartbeat(otherProcess);
    await recordHeartbeat(core);
    await sweepAll(test);
    expect(await packs()).toMatchObject([{ state: 'open' }]);
    await upload.commit();
    await upload.close();
  });

  it('are removed 10 minutes after the last heartbeat of their process, whose later commit is refused', async () => {
    const otherProcess = await anotherProcess(test);
    const upload = await uploadInProgress(otherProcess);
    test.advance(300);
    await sweepAll(test);
    expect(await packs()).toHaveLength(1);
    test.advance(301);
    await sweepAll(test);
    expect(await packs()).toEqual([]);
    expect(await files()).toEqual([]);
    await expect(upload.commit()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await upload.close();
    expect(await test.database.query('select 1 from content union all select 1 from deployment')).toEqual([]);
    await expectSwept(test);
  });

  it('are removed with their contents of a delta upload, which the client can then send again', async () => {
    const otherProcess = await anotherProcess(test);
    const site = {
      'index.html': randomBytes(100).toString('hex'),
      'large.bin': randomBytes(1.1 * MiB).toString('hex'),
    };
    const begun = await begin(core, caller, { files: listOf(site) });
    const body = await receiveContents({ core: otherProcess, caller }, begun.upload);
    for (const text of Object.values(site)) {
      const sink = body.begin(sha256Of(text), text.length);
      await sink.write(Buffer.from(text));
      sink.end();
    }
    await expect.poll(files, { timeout: 10_000 }).toHaveLength(1);
    await test.database.query(`update boot set heartbeat = heartbeat - interval '10 minutes' where id = $1`, [
      otherProcess.boot,
    ]);
    await sweepAll(test);
    expect(await packs()).toEqual([]);
    await expect(body.keep()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    await body.close();
    await sendMissing(core, caller, begun, site);
    const { deployment } = await commitUpload({ core, caller }, begun.upload);
    expect((await readSite(core, deployment))!['index.html']!.toString()).toBe(site['index.html']);
  });

  it('are removed if they belong to a finished upload of this process', async () => {
    const orphan = await insertPack(test, 'open');
    await (await core.packs.create(orphan)).seal(0);
    await sweepAll(test);
    await expectSwept(test);
  });

  it('scale B7: are removed by the living process that left them, which need not be the process that sweeps', async () => {
    const worker = await anotherProcess(test);
    const upload = await uploadInProgress(worker);
    const orphan = await insertPack({ ...test, core: worker }, 'open');
    await sweepAll(test);
    expect(await packs()).toHaveLength(2);
    await removeOwnAbandonedPacks(worker);
    expect((await packs()).map(({ id }) => id)).toEqual(await files());
    expect(await files()).not.toContain(orphan);
    await upload.commit();
    await upload.close();
  });

  it('are removed even if another open pack cannot be removed', async () => {
    const orphanPacks = (await Promise.all([1, 2, 3].map(() => insertPack(test, 'open')))).toSorted();
    const accept = await refuseRows(test.database, 'update on pack', `old.id = '${orphanPacks[0]}'`);
    const { log, warnings } = warningLog();
    for (let run = 0; run < 2; run += 1) await sweep({ ...core, log }, { graceMs: 0, batch: 1 });
    expect(await packs()).toMatchObject([{ id: orphanPacks[0] }]);
    expect(warnings[0]).toMatchObject({ task: 'remove abandoned packs', pack: orphanPacks[0] });
    await accept();
  });

  it('can be created by a process whose row was deleted while the process was silent', async () => {
    await test.database.query('delete from boot where id = $1', [core.boot]);
    const { body } = await deploySite(core, caller, { late: 'late' });
    expect(await readSite(core, body.deployment)).not.toBeNull();
  });

  it('are the only reason to keep the row of a silent process', async () => {
    const [silent, owner] = [await anotherProcess(test), await anotherProcess(test)];
    await deploySite(owner, caller, { kept: 'kept' });
    test.advance(601);
    await sweepAll(test);
    const boots = async () => (await test.database.query<{ id: string }>('select id from boot')).map(({ id }) => id);
    expect((await boots()).toSorted()).toEqual([core.boot, owner.boot].toSorted());
    await recordHeartbeat(silent);
    expect(await boots()).toContain(silent.boot);
  });
});

describe('storage §2: the isolation level of the database', () => {
  it('is READ COMMITTED, which the fence requires', async () => {
    const level = sql`select current_setting('transaction_isolation') as level`;
    expect((await level.execute(core.database.kysely)).rows).toEqual([{ level: 'read committed' }]);
  });
});
