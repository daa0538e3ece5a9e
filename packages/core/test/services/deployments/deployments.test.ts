import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite, readSite, refusals, type TestCore } from '@berth/testing/core';
import { stateOf, sweepAll, closeSwept } from '@berth/testing/invariants';
import type { AccountCaller, Caller } from '../../../src/core.ts';
import {
  deleteDeployment,
  getDeployment,
  listDeployments,
  updateDeployment,
} from '../../../src/services/deployments/deployments.ts';

const SITE = { 'index.html': 'hello' };

let caller: AccountCaller;
let scope: { core: TestCore['core']; caller: AccountCaller };
const test = await createTestCore();
afterAll(() => closeSwept(test));
beforeEach(async () => {
  ({ caller } = await test.account());
  scope = { core: test.core, caller };
});

const deploy = async (fields: Record<string, string> = {}) =>
  (await deploySite(test.core, caller, SITE, { fields })).body;
const publish = async (who: Caller) => (await deploySite(test.core, who, SITE)).body.deployment;
const page = (limit = 50, cursor?: string) => listDeployments(scope, { limit, cursor });

describe('api §3: GET /deployments/{deployment}', () => {
  it('returns the deployment as it was created, without the fields of the 201 only', async () => {
    const created = await deploy({ labels: '["one","two"]', via: 'cli', ttl: '600', password: 'secret' });
    expect(await getDeployment(scope, created.deployment)).toEqual(created);
  });

  it.each([
    ['in upper case', (id: string) => id.toUpperCase()],
    ['with its host', (id: string) => `${id}.sites.test`],
    ['with its host and a port', (id: string) => `${id}.SITES.test:8443`],
  ])('api §1: accepts a reference %s', async (_, refer) => {
    const { deployment } = await deploy();
    expect(await getDeployment(scope, refer(deployment))).toMatchObject({ deployment });
    expect(await updateDeployment(scope, refer(deployment), { labels: ['abc'] })).toMatchObject({ deployment });
    expect(await deleteDeployment(scope, refer(deployment))).toEqual({ deployment, status: 'deleting' });
  });
});

describe('T22: a deployment that the account cannot see', () => {
  it.each<[string, () => Promise<string>]>([
    ['one of another account', async () => publish((await test.account()).caller)],
    ['an anonymous one', async () => publish(ANONYMOUS)],
    ['one that never existed', async () => 'calm-otter-0000000'],
    ['an invalid id', async () => "x' or true --"],
    ['one that has expired', async () => (await deploy({ ttl: '1' })).deployment],
  ])('%s: get, update and delete answer with the same 404', async (_, refer) => {
    const reference = await refer();
    test.advance(2);
    const before = await stateOf(test);
    const answers = await Promise.allSettled([
      getDeployment(scope, reference),
      updateDeployment(scope, reference, { labels: ['abc'] }),
      deleteDeployment(scope, reference),
    ]);
    const reason = { code: 'not_found', status: 404, message: 'There is no such deployment.', details: undefined };
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason });
    expect(await stateOf(test)).toEqual(before);
  });
});

describe('api §3: GET /deployments', () => {
  it('lists the account’s own, newest first, in pages', async () => {
    await publish((await test.account()).caller);
    expect(await page()).toEqual({ deployments: [] });
    const createdIds: string[] = [];
    for (let i = 0; i < 5; i += 1) createdIds.unshift((await deploy()).deployment);
    const first = await page(2);
    const second = await page(2, first.nextCursor);
    const third = await page(2, second.nextCursor);
    expect([first, second, third].map(({ deployments }) => deployments.map(({ deployment }) => deployment))).toEqual([
      createdIds.slice(0, 2),
      createdIds.slice(2, 4),
      createdIds.slice(4),
    ]);
    expect(third).not.toHaveProperty('nextCursor');
    expect(await page(5)).not.toHaveProperty('nextCursor');
    expect((await page(4)).nextCursor).toEqual(expect.any(String));
  });

  it('includes those that are being deleted until the sweep has removed them, and no expired ones', async () => {
    const [deleted, , kept] = [await deploy(), await deploy({ ttl: '1' }), await deploy()];
    await deleteDeployment(scope, deleted.deployment);
    test.advance(2);
    expect((await page()).deployments).toMatchObject([
      { deployment: kept.deployment, status: 'success' },
      { deployment: deleted.deployment, status: 'deleting' },
    ]);
    await sweepAll(test);
    expect((await page()).deployments).toMatchObject([{ deployment: kept.deployment }]);
  });
});

describe('api §3: PATCH', () => {
  it('replaces the labels, clears them with an empty list, and changes nothing else', async () => {
    const created = await deploy({ labels: '["one"]', via: 'cli', ttl: '600' });
    for (const labels of [['two', 'three'], []]) {
      expect(await updateDeployment(scope, created.deployment, { labels })).toEqual({ ...created, labels });
      expect(await getDeployment(scope, created.deployment)).toEqual({ ...created, labels });
    }
  });

  it('is 422 while the deployment is being deleted', async () => {
    const { deployment } = await deploy({ labels: '["one"]' });
    await deleteDeployment(scope, deployment);
    await expect(updateDeployment(scope, deployment, { labels: [] })).rejects.toMatchObject({
      code: 'business_logic_error',
      status: 422,
      details: { status: 'deleting' },
    });
    expect(await getDeployment(scope, deployment)).toMatchObject({ labels: ['one'] });
  });
});

describe('api §3: DELETE', () => {
  it('takes the site offline at once, can be repeated while the row exists, and is then 404', async () => {
    const { deployment } = await deploy();
    expect(await deleteDeployment(scope, deployment)).toEqual({ deployment, status: 'deleting' });
    expect(await readSite(test.core, deployment)).toBeNull();
    expect(await getDeployment(scope, deployment)).toMatchObject({ status: 'deleting' });
    expect(await deleteDeployment(scope, deployment)).toEqual({ deployment, status: 'deleting' });
    await sweepAll(test);
    await expect(deleteDeployment(scope, deployment)).rejects.toMatchObject({ code: 'not_found' });
    await expect(getDeployment(scope, deployment)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('counts and records once, with many requests at the same time', async () => {
    const { deployment } = await deploy();
    await deploy();
    const answers = await Promise.all(Array.from({ length: 20 }, () => deleteDeployment(scope, deployment)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const [row] = await test.database.query(
      `select deployment_count as count, (select count(*)::int from activity where deployment = $2 and event = 'deployment.delete') as entries from account where id = $1`,
      [caller.account, deployment],
    );
    expect(row).toEqual({ count: 1, entries: 1 });
  });

  it('storage §2: causes no deadlock with concurrent updates of the same deployment', async () => {
    const deadlocks = () =>
      test.database.query('select deadlocks from pg_stat_database where datname = current_database()');
    const before = await deadlocks();
    for (let round = 0; round < 6; round += 1) {
      const { deployment } = await deploy();
      const refused = await refusals(
        Array.from({ length: 14 }, (_, i) =>
          i % 7 === 6
            ? deleteDeployment(scope, deployment)
            : updateDeployment(scope, deployment, { labels: [`label-${i}`] }),
        ),
      );
      for (const error of refused) expect(error).toMatchObject({ code: 'business_logic_error' });
    }
    await test.database.query('select pg_stat_force_next_flush()');
    expect(await deadlocks()).toEqual(before);
  });
});
