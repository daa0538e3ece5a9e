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

const CAP = 10_000;
const MiB = 1024 ** 2;
const HOUR_SECONDS = 3_600;

let caller: AccountCaller;
const plans = DEFAULT_PLANS.map((plan) => ({ ...plan, caps: plan.caps && { ...plan.caps, storage: CAP } }));
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
const full = (used: number, limit = CAP) => ({ status: 403, details: { cap: 'storage', used, limit } });
let addresses = 0;
const anonymous = (): AnonymousCaller => ({ kind: 'anonymous', address: `198.51.100.${(addresses += 1)}` });

describe('api §6: storage', () => {
  it('counts each content of an account once, even if another account has it', async () => {
    const [shared, own] = [randomBytes(100), randomBytes(30)];
    const { caller: other } = await test.account('free');
    await deploySite(core, other, { 'a.bin': shared });
    await deploySite(core, caller, { 'a.bin': shared, 'b.bin': own, 'twin.bin': own });
    await publishDelta(core, caller, { 'c.bin': own, 'd.bin': randomBytes(7) });
    expect(await stored()).toBe(137);
    expect(await stored(other)).toBe(100);
  });

  it('counts an open upload from its beginning, and not twice when it is committed', async () => {
    const files = { 'index.html': randomBytes(50), 'a.txt': 'x'.repeat(9) };
    const begunUpload = await begin(core, caller, { files: listOf(files) });
    expect(await stored()).toBe(59);
    await sendMissing(core, caller, begunUpload, files);
    await commitUpload({ core, caller }, begunUpload.upload);
    expect(await stored()).toBe(59);
    expect(await isExact()).toBe(true);
  });

  it('no longer counts contents as soon as no deployment refers to them', async () => {
    const sharedBytes = randomBytes(40);
    const { body } = await deploySite(core, caller, { 'kept.bin': sharedBytes, 'big.bin': randomBytes(500) });
    await deploySite(core, caller, { 'kept.bin': sharedBytes });
    expect(await stored()).toBe(540);
    await deleteDeployment({ core, caller }, body.deployment);
    expect(await stored()).toBe(40);
  });

  it('no longer counts the contents of an upload when it is dropped, or expires and is swept', async () => {
    const { upload } = await begin(core, caller, { files: listOf({ a: randomBytes(50) }) });
    await begin(core, caller, { files: listOf({ b: 'x'.repeat(60) }) });
    await abortUpload({ core, caller }, upload);
    expect(await stored()).toBe(60);
    test.advance(24 * HOUR_SECONDS);
    await sweep(core);
    expect(await stored()).toBe(0);
  });

  it('stays exact while an account publishes one version after another', async () => {
    for (let i = 0; i < 14; i += 1) {
      const files = { 'same.txt': `${caller.account} same`, 'new.txt': randomUUID() };
      await (i % 2 ? deploySite(core, caller, files) : publishDelta(core, caller, files));
      expect(await isExact()).toBe(true);
    }
    expect(await stored()).toBe(`${caller.account} same`.length + 14 * 36);
  });

  it('is measured by the sweep after a deletion, so that requests need not measure it', async () => {
    const { body } = await deploySite(core, caller, { 'a.bin': randomBytes(500) });
    await deleteDeployment({ core, caller }, body.deployment);
    expect(await isExact()).toBe(false);
    await sweep(core);
    expect(await isExact()).toBe(true);
  });

  it('is exact for a content that only a deployment older than the newest ten has', async () => {
    const old = randomBytes(300);
    await deploySite(core, caller, { 'old.bin': old });
    for (let i = 0; i < 10; i += 1) await deploySite(core, caller, { 'a.txt': `${caller.account} ${i}` });
    const before = await stored();
    await deploySite(core, caller, { 'old.bin': old });
    expect(await stored()).toBe(before);
    await begin(core, caller, { files: listOf({ 'index.html': 'x' }) });
    expect(await stored()).toBe(before + 1);
  });

  it('counts the common contents of two open uploads once', async () => {
    const files = { 'index.html': 'y'.repeat(400) };
    await begin(core, caller, { files: listOf(files) });
    await begin(core, caller, { files: listOf(files) });
    expect(await stored()).toBe(400);
    await deploySite(core, caller, files);
    expect(await stored()).toBe(400);
  });
});

describe('api §6: the storage cap', () => {
  it('refuses a deploy, an upload and a claim that would exceed it, and changes nothing', async () => {
    await deploySite(core, caller, { 'a.bin': randomBytes(9_000) });
    expect(await refusal(deploySite(core, caller, { 'b.bin': randomBytes(1_001) }))).toMatchObject(full(9_000));
    const files = listOf({ 'b.bin': randomBytes(1_001) });
    expect(await refusal(begin(core, caller, { files }))).toMatchObject(full(9_000));
    const { body } = await deploySite(core, anonymous(), { 'b.bin': randomBytes(1_001) });
    expect(await refusal(claimDeployment({ core, caller }, body.claim!))).toMatchObject(full(9_000));
    expect(await stored()).toBe(9_000);
    await deploySite(core, caller, { 'b.bin': randomBytes(1_000) });
    expect(await stored()).toBe(CAP);
  });

  it('keeps a deployment that is too large to be claimed, for a claim that fits', async () => {
    const { body } = await deploySite(core, anonymous(), { 'b.bin': randomBytes(2_000) });
    const { deployment } = (await deploySite(core, caller, { 'a.bin': randomBytes(9_000) })).body;
    await refusal(claimDeployment({ core, caller }, body.claim!));
    await deleteDeployment({ core, caller }, deployment);
    await claimDeployment({ core, caller }, body.claim!);
    expect(await stored()).toBe(2_000);
  });

  it('applies to what is stored, not to what was counted before a deletion', async () => {
    const { deployment } = (await deploySite(core, caller, { 'a.bin': randomBytes(9_000) })).body;
    await deleteDeployment({ core, caller }, deployment);
    await deploySite(core, caller, { 'b.bin': randomBytes(9_500) });
    expect(await stored()).toBe(9_500);
  });

  it('allows contents that the account already has, even if it is full', async () => {
    const files = { 'a.bin': randomBytes(CAP) };
    await deploySite(core, caller, files);
    await deploySite(core, caller, files);
    await publishDelta(core, caller, files);
    expect(await stored()).toBe(CAP);
  });

  it('is not exceeded by parallel deploys and uploads', async () => {
    const publish = (_: unknown, i: number) =>
      (i % 2 ? deploySite : publishDelta)(core, caller, { 'a.bin': randomBytes(1_000) });
    const refused = await refusals(Array.from({ length: 24 }, publish));
    expect(refused).toHaveLength(14);
    for (const reason of refused) expect(reason).toMatchObject(full(CAP));
    expect(await stored()).toBe(CAP);
  });

  it('is checked again when an upload is committed whose account has a smaller plan by then', async () => {
    const scale = (await test.account('scale')).caller;
    const files = { 'index.html': 'x'.repeat(CAP + 1) };
    const begunUpload = await uploadAll(core, scale, files);
    await toFree(scale);
    expect(await refusal(commitUpload({ core, caller: scale }, begunUpload.upload))).toMatchObject(full(CAP + 1));
  });

  it('does not exist on a plan without one, such as Scale', async () => {
    const { caller: scale } = await test.account('scale');
    await deploySite(core, scale, { 'a.bin': randomBytes(3 * CAP) });
    expect(await stored(scale)).toBe(3 * CAP);
  });

  it('refuses a deploy of an account beyond it before a byte is read', async () => {
    const scale = (await test.account('scale')).caller;
    await deploySite(core, scale, { 'a.bin': randomBytes(CAP + 1) });
    expect(await refusal(beginDeploy({ core, caller: await toFree(scale) }, null))).toMatchObject(full(CAP + 1));
  });

  it('ends a deploy while it arrives, as soon as its contents are known not to fit', async () => {
    const deploy = await beginDeploy({ core, caller }, null);
    let sent = 0;
    try {
      await expect(async () => {
        for (let i = 0; i < 20; i += 1) {
          const sink = deploy.files.begin(`${i}.bin`);
          await sink.write(randomBytes(MiB));
          sink.end();
          sent += 1;
          await core.database.isReady();
        }
      }).rejects.toMatchObject(full(0));
    } finally {
      await deploy.close();
    }
    expect(sent).toBeLessThan(20);
  });

  it('does not refuse a repeated deploy with the same key', async () => {
    const scale = (await test.account('scale')).caller;
    const files = { 'a.bin': randomBytes(CAP + 1) };
    const { body } = await deploySite(core, scale, files, { key: 'again' });
    const replay = await deploySite(core, await toFree(scale), files, { key: 'again' });
    expect(replay).toMatchObject({ replayed: true, body });
  });
});

describe('api §6: the storage of an anonymous address', () => {
  const LIMIT = 500 * MiB;
  /** Records that an address has deployed this many bytes. */
  const fill = async (by: AnonymousCaller, size: number) => {
    const { body } = await deploySite(core, by, { 'a.bin': randomBytes(10) });
    for (const change of [
      'update deployment set size = $2 where id = $1',
      'update manifest set sizes = array[$2::bigint] where deployment_id = $1',
    ])
      await test.database.query(change, [body.deployment, size]);
    return body;
  };

  it('has a cap of 500 MiB, over deployments and open uploads', async () => {
    const uploader = anonymous();
    await fill(uploader, LIMIT - 100);
    const deploy = deploySite(core, uploader, { 'b.bin': randomBytes(101) });
    expect(await refusal(deploy)).toMatchObject(full(LIMIT - 100, LIMIT));
    await begin(core, uploader, { files: listOf({ 'c.bin': randomBytes(60) }) });
    const upload = begin(core, uploader, { files: listOf({ 'd.bin': randomBytes(41) }) });
    expect(await refusal(upload)).toMatchObject(full(LIMIT - 40, LIMIT));
    await deploySite(core, anonymous(), { 'b.bin': randomBytes(101) });
  });

  it('counts a content once, and no longer counts what was claimed', async () => {
    const uploader = anonymous();
    const same = { 'b.bin': randomBytes(80) };
    const { claim } = await fill(uploader, LIMIT - 100);
    await deploySite(core, uploader, same);
    await deploySite(core, uploader, same);
    await test.database.query(`update account set plan = 'scale' where id = $1`, [caller.account]);
    await claimDeployment({ core, caller }, claim!);
    await deploySite(core, uploader, { 'c.bin': randomBytes(400) });
  });

  it('does not exceed its cap by parallel deploys', async () => {
    const uploader = anonymous();
    await fill(uploader, LIMIT - 250);
    const deploys = Array.from({ length: 8 }, () => deploySite(core, uploader, { 'b.bin': randomBytes(100) }));
    expect(await refusals(deploys)).toHaveLength(6);
  });
});
