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
  it('is gone at its expiry, even if no sweep has run', async () => {
    const at = (ms: number) => ({ ...test.core, now: () => new Date(ms) });
    const start = test.core.now().getTime();
    const { body } = await deploySite(at(start), caller, SITE, { fields: { ttl: '60' } });
    const end = start + 60_000;
    for (const ms of [start, end - 1]) {
      expect(await readSite(at(ms), body.deployment)).not.toBeNull();
      expect(await getDeployment({ core: at(ms), caller }, body.deployment)).toMatchObject({ status: 'success' });
    }
    for (const ms of [end, end + 1, end + 1e9]) {
      const late = { core: at(ms), caller };
      expect(await readSite(late.core, body.deployment)).toBeNull();
      const refused = await refusals([
        getDeployment(late, body.deployment),
        updateDeployment(late, body.deployment, { labels: [] }),
        deleteDeployment(late, body.deployment),
      ]);
      expect(refused.map(({ code }) => code)).toEqual(Array(3).fill('not_found'));
      expect((await listDeployments(late, { limit: 10 })).deployments).toEqual([]);
    }
    expect(await statusOf(body.deployment)).toBe('success');
    test.advance(61);
    await sweepAll(test);
  });

  it('is no longer counted, and is recorded once, when the sweep runs, which also removes its bytes', async () => {
    const liveDeployment = await deploySite(test.core, caller, { other: 'kept' });
    const { deployment } = await withTtl('60');
    test.advance(61);
    expect(await sweepAll(test)).toMatchObject({ expired: 1, deployments: 1, packs: 1, fenced: true });
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

  it('is ended once if several sweeps run at the same time', async () => {
    for (let i = 0; i < 5; i += 1) await withTtl('60');
    test.advance(61);
    const ended = await Promise.all(Array.from({ length: 6 }, () => expireDeployments(test.core, { limit: 100 })));
    expect(ended.reduce((sum, n) => sum + n, 0)).toBe(5);
    expect((await getAccount(scope())).usage.deployments).toBe(0);
  });

  it('is either deleted or expired, never both', async () => {
    for (let i = 0; i < 10; i += 1) {
      const { deployment } = await withTtl('60');
      const late = { ...test.core, now: () => new Date(test.core.now().getTime() + 61_000) };
      await Promise.all([deleteDeployment(scope(), deployment), expireDeployments(late, { limit: 100 })]).catch(
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

  it('is ended in bounded batches, the longest expired first', async () => {
    const [later, sooner] = [await withTtl('200'), await withTtl('100')];
    test.advance(300);
    expect(await expireDeployments(test.core, { limit: 1 })).toBe(1);
    expect([await statusOf(sooner.deployment), await statusOf(later.deployment)]).toEqual(['deleting', 'success']);
    await sweepAll(test);
  });
});

describe('a deployment that cannot be ended', () => {
  it('does not block others, is named in the log, and is ended by a later run', async () => {
    const stuck = await withTtl('50');
    const { caller: other } = await test.account();
    const free = (await deploySite(test.core, other, SITE, { fields: { ttl: '60' } })).body;
    const anonymous = (await deploySite(test.core, ANONYMOUS, SITE)).body;
    test.advance(THREE_DAYS + 1);
    const accept = await refuseRows(test.database, 'update on deployment', `old.id = '${stuck.deployment}'`);
    const { log, warnings } = warningLog();
    for (const limit of [1, 1, 1]) await expireDeployments({ ...test.core, log }, { limit });
    const statuses = await Promise.all([stuck, free, anonymous].map(({ deployment }) => statusOf(deployment)));
    expect(statuses).toEqual(['success', 'deleting', 'deleting']);
    const ids = { deployment: stuck.deployment, account: caller.account };
    expect(warnings[0]).toMatchObject({ task: 'expire deployments', ...ids, err: { code: '23514' } });
    await accept();
    expect(await expireDeployments(test.core, { limit: 1 })).toBe(1);
    await sweepAll(test);
  });

  it('postpones the others of its account to the next run: the account may be the cause', async () => {
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
  it('is deleted after 3 days; only its id stays reserved', async () => {
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
