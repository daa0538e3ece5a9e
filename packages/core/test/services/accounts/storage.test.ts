import { randomBytes, randomUUID } from 'node:crypto';
import { DEFAULT_PLANS } from '@berth/contract';
import { createTestCore, deploySite, refusal, refusals } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import { begin, listOf, publishDelta, sendMissing, uploadAll } from '@berth/testing/uploads';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, AnonymousCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { claimDeployment } from '../../../src/services/deployments/claims.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';
import { abortUpload } from '../../../src/services/uploads/uploads.ts';
import { commitUpload } from '../../../src/services/uploads/commit-upload.ts';

const CAP_BYTES = 10_000;
const MiB = 1024 ** 2;
const HOUR_SECONDS = 3_600;

let caller: AccountCaller;
const plans = DEFAULT_PLANS.map((plan) => ({ ...plan, caps: plan.caps && { ...plan.caps, storage: CAP_BYTES } }));
const test = await createTestCore({ plans: createPlans(plans) });
const { core } = test;
beforeEach(async () => void ({ caller } = await test.account('free')));
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

const stored = async (of = caller) => (await getAccount({ core, caller: of })).usage.storage;
const isExact = async () => {
  const query = 'select storage_exact as exact from account where id = $1';
  return (await test.database.query<{ exact: boolean }>(query, [caller.account]))[0]!.exact;
};
/** Moves an account to the plan Free. */
async function toFree(of: AccountCaller): Promise<AccountCaller> {
  await test.database.query(`update account set plan = 'free' where id = $1`, [of.account]);
  return { ...of, plan: 'free' };
}
const atCap = (used: number, limit = CAP_BYTES) => ({ status: 403, details: { cap: 'storage', used, limit } });
let addresses = 0;
const anonymous = (): AnonymousCaller => ({ kind: 'anonymous', address: `198.51.100.${(addresses += 1)}` });

describe('api §6: the storage of an account', () => {
  it('counts equal files once, even if another account has the same file', async () => {
    const [shared, own] = [randomBytes(100), randomBytes(30)];
    const { caller: other } = await test.account('free');
    await deploySite(core, other, { 'a.bin': shared });
    await deploySite(core, caller, { 'a.bin': shared, 'b.bin': own, 'twin.bin': own });
    await publishDelta(core, caller, { 'c.bin': own, 'd.bin': randomBytes(7) });
    expect(await stored()).toBe(137);
    expect(await stored(other)).toBe(100);
  });

  it('includes an upload as soon as it is begun, and does not grow when the upload is committed', async () => {
    const files = { 'index.html': randomBytes(50), 'a.txt': 'x'.repeat(9) };
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    expect(await stored()).toBe(59);
    await sendMissing(core, caller, begunUpload, files);
    await commitUpload({ core, caller }, begunUpload.upload);
    expect(await stored()).toBe(59);
    expect(await isExact()).toBe(true);
  });

  it('shrinks at once when the last deployment with a file is deleted', async () => {
    const sharedBytes = randomBytes(40);
    const { body } = await deploySite(core, caller, { 'kept.bin': sharedBytes, 'big.bin': randomBytes(500) });
    await deploySite(core, caller, { 'kept.bin': sharedBytes });
    expect(await stored()).toBe(540);
    await deleteDeployment({ core, caller }, body.deployment);
    expect(await stored()).toBe(40);
  });

  it('shrinks when an upload is aborted, or is swept after it has expired', async () => {
    const { upload } = await begin(core, caller, { files: listOf({ a: randomBytes(50) }) });
    await begin(core, caller, { files: listOf({ b: 'x'.repeat(60) }) });
    await abortUpload({ core, caller }, upload);
    expect(await stored()).toBe(60);
    test.advance(24 * HOUR_SECONDS);
    await sweep(core);
    expect(await stored()).toBe(0);
  });

  it('is known exactly while an account publishes one version after another', async () => {
    for (let i = 0; i < 14; i += 1) {
      const files = { 'same.txt': `${caller.account} same`, 'new.txt': randomUUID() };
      await (i % 2 ? deploySite(core, caller, files) : publishDelta(core, caller, files));
      expect(await isExact()).toBe(true);
    }
    expect(await stored()).toBe(`${caller.account} same`.length + 14 * 36);
  });

  it('is measured by the sweep after a deletion, so that later requests need not measure it', async () => {
    const { body } = await deploySite(core, caller, { 'a.bin': randomBytes(500) });
    await deleteDeployment({ core, caller }, body.deployment);
    expect(await isExact()).toBe(false);
    await sweep(core);
    expect(await isExact()).toBe(true);
  });

  it('does not grow when a file is published again that only the eleventh-newest deployment has', async () => {
    const oldContent = randomBytes(300);
    await deploySite(core, caller, { 'old.bin': oldContent });
    for (let i = 0; i < 10; i += 1) await deploySite(core, caller, { 'a.txt': `${caller.account} ${i}` });
    const storedBefore = await stored();
    await deploySite(core, caller, { 'old.bin': oldContent });
    expect(await stored()).toBe(storedBefore);
    await begin(core, caller, { files: listOf({ 'index.html': 'x' }) });
    expect(await stored()).toBe(storedBefore + 1);
  });

  it('counts the common files of two open uploads once', async () => {
    const files = { 'index.html': 'y'.repeat(400) };
    await begin(core, caller, { files: listOf(files) });
    await begin(core, caller, { files: listOf(files) });
    expect(await stored()).toBe(400);
    await deploySite(core, caller, files);
    expect(await stored()).toBe(400);
  });
});

describe('api §6: the storage cap', () => {
  it('refuses every deploy, upload and claim that would exceed the cap, and the stored bytes stay the same', async () => {
    await deploySite(core, caller, { 'a.bin': randomBytes(9_000) });
    expect(await refusal(deploySite(core, caller, { 'b.bin': randomBytes(1_001) }))).toMatchObject(atCap(9_000));
    const files = listOf({ 'b.bin': randomBytes(1_001) });
    expect(await refusal(begin(core, caller, { files }))).toMatchObject(atCap(9_000));
    const { body } = await deploySite(core, anonymous(), { 'b.bin': randomBytes(1_001) });
    expect(await refusal(claimDeployment({ core, caller }, body.claim!))).toMatchObject(atCap(9_000));
    expect(await stored()).toBe(9_000);
    await deploySite(core, caller, { 'b.bin': randomBytes(1_000) });
    expect(await stored()).toBe(CAP_BYTES);
  });

  it('refuses a claim that would exceed the cap; the claim succeeds after another deployment was deleted', async () => {
    const { body } = await deploySite(core, anonymous(), { 'b.bin': randomBytes(2_000) });
    const { deployment } = (await deploySite(core, caller, { 'a.bin': randomBytes(9_000) })).body;
    await refusal(claimDeployment({ core, caller }, body.claim!));
    await deleteDeployment({ core, caller }, deployment);
    await claimDeployment({ core, caller }, body.claim!);
    expect(await stored()).toBe(2_000);
  });

  it('does not count the bytes of a deleted deployment', async () => {
    const { deployment } = (await deploySite(core, caller, { 'a.bin': randomBytes(9_000) })).body;
    await deleteDeployment({ core, caller }, deployment);
    await deploySite(core, caller, { 'b.bin': randomBytes(9_500) });
    expect(await stored()).toBe(9_500);
  });

  it('allows files that the account already has, even if the account is at the cap', async () => {
    const files = { 'a.bin': randomBytes(CAP_BYTES) };
    await deploySite(core, caller, files);
    await deploySite(core, caller, files);
    await publishDelta(core, caller, files);
    expect(await stored()).toBe(CAP_BYTES);
  });

  it('cannot be exceeded by parallel deploys and uploads', async () => {
    const publish = (_: unknown, i: number) =>
      (i % 2 ? deploySite : publishDelta)(core, caller, { 'a.bin': randomBytes(1_000) });
    const refusalReasons = await refusals(Array.from({ length: 24 }, publish));
    expect(refusalReasons).toHaveLength(14);
    for (const reason of refusalReasons) expect(reason).toMatchObject(atCap(CAP_BYTES));
    expect(await stored()).toBe(CAP_BYTES);
  });

  it('is checked again when an upload is committed after a downgrade of the account', async () => {
    const scaleCaller = (await test.account('scale')).caller;
    const files = { 'index.html': 'x'.repeat(CAP_BYTES + 1) };
    const begunUpload = await uploadAll(core, scaleCaller, files);
    await toFree(scaleCaller);
    expect(await refusal(commitUpload({ core, caller: scaleCaller }, begunUpload.upload))).toMatchObject(
      atCap(CAP_BYTES + 1),
    );
  });

  it('does not exist on the plan Scale', async () => {
    const { caller: scale } = await test.account('scale');
    await deploySite(core, scale, { 'a.bin': randomBytes(3 * CAP_BYTES) });
    expect(await stored(scale)).toBe(3 * CAP_BYTES);
  });

  it('refuses a deploy before a byte is read if the account is beyond the cap', async () => {
    const scaleCaller = (await test.account('scale')).caller;
    await deploySite(core, scaleCaller, { 'a.bin': randomBytes(CAP_BYTES + 1) });
    expect(await refusal(beginDeploy({ core, caller: await toFree(scaleCaller) }, null))).toMatchObject(
      atCap(CAP_BYTES + 1),
    );
  });

  it('refuses a large deploy while its files still arrive', async () => {
    const deploy = await beginDeploy({ core, caller }, null);
    let sentFiles = 0;
    const sendFile = async () => {
      const sink = deploy.files.begin(`${(sentFiles += 1)}.bin`);
      await sink.write(randomBytes(MiB));
      sink.end();
    };
    try {
      // The storage is measured while further files arrive.
      await expect.poll(() => sendFile().catch((error: unknown) => error)).toMatchObject(atCap(0));
    } finally {
      await deploy.close();
    }
  });

  it('does not refuse a repeated deploy with the same idempotency key', async () => {
    const scaleCaller = (await test.account('scale')).caller;
    const files = { 'a.bin': randomBytes(CAP_BYTES + 1) };
    const { body } = await deploySite(core, scaleCaller, files, { key: 'again' });
    const replayedDeploy = await deploySite(core, await toFree(scaleCaller), files, { key: 'again' });
    expect(replayedDeploy).toMatchObject({ replayed: true, body });
  });
});

describe('api §6: the storage of an anonymous address', () => {
  const LIMIT = 500 * MiB;
  /** Records that an address has deployed this many bytes. */
  const fillStorage = async (by: AnonymousCaller, size: number) => {
    const { body } = await deploySite(core, by, { 'a.bin': randomBytes(10) });
    for (const change of [
      'update deployment set size = $2 where id = $1',
      'update manifest set sizes = array[$2::bigint] where deployment_id = $1',
    ])
      await test.database.query(change, [body.deployment, size]);
    return body;
  };

  it('is limited to 500 MiB for all deployments and open uploads together', async () => {
    const uploader = anonymous();
    await fillStorage(uploader, LIMIT - 100);
    const deploy = deploySite(core, uploader, { 'b.bin': randomBytes(101) });
    expect(await refusal(deploy)).toMatchObject(atCap(LIMIT - 100, LIMIT));
    await begin(core, uploader, { files: listOf({ 'c.bin': randomBytes(60) }) });
    const upload = begin(core, uploader, { files: listOf({ 'd.bin': randomBytes(41) }) });
    expect(await refusal(upload)).toMatchObject(atCap(LIMIT - 40, LIMIT));
    await deploySite(core, anonymous(), { 'b.bin': randomBytes(101) });
  });

  it('counts equal files once, and does not count deployments that were claimed', async () => {
    const uploader = anonymous();
    const site = { 'b.bin': randomBytes(80) };
    const { claim } = await fillStorage(uploader, LIMIT - 100);
    await deploySite(core, uploader, site);
    await deploySite(core, uploader, site);
    await test.database.query(`update account set plan = 'scale' where id = $1`, [caller.account]);
    await claimDeployment({ core, caller }, claim!);
    await deploySite(core, uploader, { 'c.bin': randomBytes(400) });
  });

  it('cannot exceed the cap by parallel deploys', async () => {
    const uploader = anonymous();
    await fillStorage(uploader, LIMIT - 250);
    const deploys = Array.from({ length: 8 }, () => deploySite(core, uploader, { 'b.bin': randomBytes(100) }));
    expect(await refusals(deploys)).toHaveLength(6);
  });
});
