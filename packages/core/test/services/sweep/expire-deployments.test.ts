import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite, readSite, refusals } from '@berth/testing/core';
import { closeSwept, expectSwept, sweepAll } from '@berth/testing/invariants';
import { refuseRows, warningLog } from '@berth/testing/refused-rows';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import {
  deleteDeployment,
  getDeployment,
  listDeployments,
  updateDeployment,
} from '../../../src/services/deployments/deployments.ts';
import { LiveSiteCache } from '../../../src/services/sites/live-sites.ts';
import { expireDeployments } from '../../../src/services/sweep/expire.ts';

const SITE = { 'index.html': 'for a while' };
const THREE_DAYS = 3 * 86_400;

let caller: AccountCaller;
const test = await createTestCore();
afterAll(() => closeSwept(test));
beforeEach(async () => void ({ caller } = await test.account()));

const scope = () => ({ core: test.core, caller });
const withTtl = async (ttl: string) => (await deploySite(test.core, caller, SITE, { fields: { ttl } })).body;
const statusOf = async (id: string) =>
  (await test.database.query<{ status: string }>('select status from deployment where id = $1', [id]))[0]?.status;

describe('api §3: a deployment that expires', () => {
  it('cannot be found after its time of expiry, even if no sweep has run', async () => {
    const coreAt = (ms: number) => ({ ...test.core, now: () => new Date(ms) });
    const start = test.core.now().getTime();
    const { body } = await deploySite(coreAt(start), caller, SITE, { fields: { ttl: '60' } });
    const endMs = start + 60_000;
    for (const ms of [start, endMs - 1]) {
      expect(await readSite(coreAt(ms), body.deployment)).not.toBeNull();
      expect(await getDeployment({ core: coreAt(ms), caller }, body.deployment)).toMatchObject({ status: 'success' });
    }
    for (const ms of [endMs, endMs + 1, endMs + 1e9]) {
      const lateScope = { core: coreAt(ms), caller };
      expect(await readSite(lateScope.core, body.deployment)).toBeNull();
      const refusedClaims = await refusals([
        getDeployment(lateScope, body.deployment),
        updateDeployment(lateScope, body.deployment, { labels: [] }),
        deleteDeployment(lateScope, body.deployment),
      ]);
      expect(refusedClaims.map(({ code }) => code)).toEqual(Array(3).fill('not_found'));
      expect((await listDeployments(lateScope, { limit: 10 })).deployments).toEqual([]);
    }
    expect(await statusOf(body.deployment)).toBe('success');
    test.advance(61);
    await sweepAll(test);
  });

  it('is deleted with its bytes by the sweep, which also updates the counter and records the expiry once', async () => {
    const liveDeployment = await deploySite(test.core, caller, { other: 'kept' });
    const { deployment } = await withTtl('60');
    test.advance(61);
    expect(await sweepAll(test)).toMatchObject({ expired: 1, deployments: 1, packs: 1, fenced: true });
    expect(await new LiveSiteCache(test.core).find({ deployment })).toBe('expired');
    expect(await sweepAll(test)).toMatchObject({ expired: 0, deployments: 0, packs: 0 });
    expect((await getAccount(scope())).usage.deployments).toBe(1);
    const { activities } = await listActivities(scope(), { limit: 10 });
    const event = 'deployment.expire';
    expect(activities.filter((activity) => activity.event === event)).toEqual([
      { event, created: expect.any(Number), deployment, authMethod: 'system', meta: {} },
    ]);
    expect(await readSite(test.core, liveDeployment.body.deployment)).not.toBeNull();
    await expectSwept(test);
  });

  it('is marked for deletion only once if several sweeps run at the same time', async () => {
    for (let i = 0; i < 5; i += 1) await withTtl('60');
    test.advance(61);
    const expiredCounts = await Promise.all(
      Array.from({ length: 6 }, () => expireDeployments(test.core, { limit: 100 })),
    );
    expect(expiredCounts.reduce((sum, n) => sum + n, 0)).toBe(5);
    expect((await getAccount(scope())).usage.deployments).toBe(0);
  });

  it('is recorded either as deleted or as expired, but never as both', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { deployment } = await withTtl('60');
      const lateCore = { ...test.core, now: () => new Date(test.core.now().getTime() + 61_000) };
      await Promise.all([deleteDeployment(scope(), deployment), expireDeployments(lateCore, { limit: 100 })]).catch(
        (error: unknown) => expect(error).toMatchObject({ code: 'not_found' }),
      );
      const entries = await test.database.query(
        `select event from activity where deployment = $1 and event in ('deployment.delete', 'deployment.expire')`,
        [deployment],
      );
      expect(entries).toHaveLength(1);
    }
    expect((await getAccount(scope())).usage.deployments).toBe(0);
  });

  it('is marked for deletion before deployments that expired later, if a batch is limited', async () => {
    const [later, sooner] = [await withTtl('200'), await withTtl('100')];
    test.advance(300);
    expect(await expireDeployments(test.core, { limit: 1 })).toBe(1);
    expect([await statusOf(sooner.deployment), await statusOf(later.deployment)]).toEqual(['deleting', 'success']);
    await sweepAll(test);
  });
});

describe('an expired deployment that cannot be marked for deletion', () => {
  it('does not block other deployments, is named in the log, and is retried by a later run', async () => {
    const failingSite = await withTtl('50');
    const { caller: other } = await test.account();
    const unaffectedSite = (await deploySite(test.core, other, SITE, { fields: { ttl: '60' } })).body;
    const anonymous = (await deploySite(test.core, ANONYMOUS, SITE)).body;
    test.advance(THREE_DAYS + 1);
    const accept = await refuseRows(test.database, 'update on deployment', `old.id = '${failingSite.deployment}'`);
    const { log, warnings } = warningLog();
    for (const limit of [1, 1, 1]) await expireDeployments({ ...test.core, log }, { limit });
    const statuses = await Promise.all(
      [failingSite, unaffectedSite, anonymous].map(({ deployment }) => statusOf(deployment)),
    );
    expect(statuses).toEqual(['success', 'deleting', 'deleting']);
    const ids = { deployment: failingSite.deployment, account: caller.account };
    expect(warnings[0]).toMatchObject({ task: 'expire deployments', ...ids, err: { code: '23514' } });
    await accept();
    expect(await expireDeployments(test.core, { limit: 1 })).toBe(1);
    await sweepAll(test);
  });

  it('postpones the other deployments of its account to the next run, because the account may be the cause', async () => {
    const deployments = [await withTtl('50'), await withTtl('60'), await withTtl('70')];
    test.advance(100);
    const accept = await refuseRows(test.database, 'update on account', `old.id = '${caller.account}'`);
    const { log, warnings } = warningLog();
    expect(await expireDeployments({ ...test.core, log }, { limit: 1 })).toBe(0);
    expect(warnings).toHaveLength(1);
    await accept();
    expect(await expireDeployments(test.core, { limit: 10 })).toBe(deployments.length);
    await sweepAll(test);
  });
});

describe('api §3: an anonymous deployment', () => {
  it('is deleted after 3 days, but its id stays reserved', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, { 'index.html': 'anonymous bytes' });
    test.advance(THREE_DAYS - 600);
    await sweepAll(test);
    expect(await readSite(test.core, body.deployment)).not.toBeNull();
    test.advance(600);
    expect(await readSite(test.core, body.deployment)).toBeNull();
    await sweepAll(test);
    expect(await statusOf(body.deployment)).toBeUndefined();
    expect(await test.database.query('select 1 from issued_id where id = $1', [body.deployment])).toHaveLength(1);
    expect(await test.database.query(`select 1 from content where hash = sha256('anonymous bytes')`)).toEqual([]);
    await expectSwept(test);
  });
});
