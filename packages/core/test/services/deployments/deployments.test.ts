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
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';

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
  it('returns the same fields as the deploy that created the deployment', async () => {
    const created = await deploy({ labels: '["one","two"]', via: 'cli', ttl: '600', password: 'secret' });
    expect(await getDeployment(scope, created.deployment)).toEqual(created);
  });

  it.each([
    ['in upper case', (id: string) => id.toUpperCase()],
    ['with its host', (id: string) => `${id}.sites.test`],
    ['with its host and a port', (id: string) => `${id}.SITES.test:8443`],
  ])('api §1: accepts the id of a deployment %s', async (_, refer) => {
    const { deployment } = await deploy();
    expect(await getDeployment(scope, refer(deployment))).toMatchObject({ deployment });
    expect(await updateDeployment(scope, refer(deployment), { labels: ['abc'] })).toMatchObject({ deployment });
    expect(await deleteDeployment(scope, refer(deployment))).toEqual({ deployment, status: 'deleting' });
  });
});

describe('T22: a deployment that the account cannot see', () => {
  it.each<[string, () => Promise<string>]>([
    ['it belongs to another account', async () => publish((await test.account()).caller)],
    ['it is anonymous', async () => publish(ANONYMOUS)],
    ['it never existed', async () => 'calm-otter-0000000'],
    ['the id is invalid', async () => "x' or true --"],
    ['it has expired', async () => (await deploy({ ttl: '1' })).deployment],
  ])('gets the same 404 from GET, PATCH and DELETE if %s', async (_, refer) => {
    const reference = await refer();
    test.advance(2);
    const stateBefore = await stateOf(test);
    const responses = await Promise.allSettled([
      getDeployment(scope, reference),
      updateDeployment(scope, reference, { labels: ['abc'] }),
      deleteDeployment(scope, reference),
    ]);
    const reason = { code: 'not_found', status: 404, message: 'There is no such deployment.', details: undefined };
    for (const response of responses) expect(response).toMatchObject({ status: 'rejected', reason });
    expect(await stateOf(test)).toEqual(stateBefore);
  });
});

describe('api §3: GET /deployments', () => {
  it('lists the deployments of the account, newest first, in pages', async () => {
    await publish((await test.account()).caller);
    expect(await page()).toEqual({ deployments: [] });
    const createdIds: string[] = [];
    for (let i = 0; i < 5; i += 1) createdIds.unshift((await deploy()).deployment);
    const firstPage = await page(2);
    const secondPage = await page(2, firstPage.nextCursor);
    const thirdPage = await page(2, secondPage.nextCursor);
    expect(
      [firstPage, secondPage, thirdPage].map(({ deployments }) => deployments.map(({ deployment }) => deployment)),
    ).toEqual([createdIds.slice(0, 2), createdIds.slice(2, 4), createdIds.slice(4)]);
    expect(thirdPage).not.toHaveProperty('nextCursor');
    expect(await page(5)).not.toHaveProperty('nextCursor');
    expect((await page(4)).nextCursor).toEqual(expect.any(String));
  });

  it('lists deleted deployments until the sweep has removed them, and no expired deployments', async () => {
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

  it('lists only the deployments with a label, in pages', async () => {
    const list = (query: object) => listDeployments(scope, { limit: 50, ...query });
    const idsOf = ({ deployments }: Awaited<ReturnType<typeof list>>) =>
      deployments.map(({ deployment }) => deployment);
    const labelled = [
      await deploy({ labels: '["shop"]' }),
      await deploy({ labels: '["preview","shop"]' }),
      await deploy({ labels: '["null","shop"]' }),
    ].map(({ deployment }) => deployment);
    await deploy({ labels: '["shop-2"]' });
    await deploy();
    await deploySite(test.core, (await test.account()).caller, SITE, { fields: { labels: '["shop"]' } });
    expect(idsOf(await list({ label: 'shop' }))).toEqual(labelled.toReversed());
    expect(idsOf(await list({ label: 'null' }))).toEqual([labelled[2]]);
    expect(idsOf(await list({ label: 'unknown' }))).toEqual([]);
    const firstPage = await list({ label: 'shop', limit: 2 });
    const { nextCursor: cursor, ...secondPage } = await list({ label: 'shop', limit: 2, cursor: firstPage.nextCursor });
    expect([...idsOf(firstPage), ...idsOf(secondPage)]).toEqual(labelled.toReversed());
    expect(cursor).toBeUndefined();
  });

  it('lists only the deployment that the given domain of the account points at', async () => {
    const { deployment } = await deploy({ labels: '["shop"]' });
    await deploy();
    const name = `${caller.account}-ü.sites.test`;
    const list = (domain: string, label?: string) => listDeployments(scope, { limit: 50, domain, label });
    expect(await list(name)).toEqual({ deployments: [] });
    const { domain } = await putDomain(scope, name, { deployment });
    for (const written of [name, `${name.toUpperCase()}.`, domain.domain])
      expect((await list(written)).deployments).toMatchObject([{ deployment, domains: [domain.domain] }]);
    expect((await list(name, 'shop')).deployments).toHaveLength(1);
    expect(await list(name, 'other')).toEqual({ deployments: [] });
    for (const unknown of ['', 'no name', 'not-there.sites.test'])
      expect(await list(unknown)).toEqual({ deployments: [] });
    const otherScope = { core: test.core, caller: (await test.account()).caller };
    expect(await listDeployments(otherScope, { limit: 50, domain: name })).toEqual({ deployments: [] });
  });
});

describe('api §3: a deployment', () => {
  it('names the domains that point at it, in every answer', async () => {
    const [{ deployment }, otherDeployment] = [await deploy(), (await deploy()).deployment];
    const names = ['b', 'a', 'c'].map((letter) => `${letter}-${caller.account}.sites.test`);
    for (const name of names) await putDomain(scope, name, { deployment });
    await putDomain(scope, names[2]!, { deployment: otherDeployment });
    const expected = { deployment, domains: [names[1], names[0]] };
    expect(await getDeployment(scope, deployment)).toMatchObject(expected);
    expect(await updateDeployment(scope, deployment, { labels: ['one'] })).toMatchObject(expected);
    expect((await page()).deployments).toMatchObject([{ deployment: otherDeployment, domains: [names[2]] }, expected]);
  });

  it('says since when and why it is taken down, and no longer after it is restored', async () => {
    const { deployment } = await deploy();
    const since = Math.floor(test.core.now().getTime() / 1000);
    await setTakenDown(test.core, deployment, true, { reason: 'Phishing' });
    const { takenDown } = await getDeployment(scope, deployment);
    expect(takenDown).toEqual({ reason: 'Phishing', since: expect.closeTo(since, -1) });
    expect((await page()).deployments).toMatchObject([{ takenDown }]);
    await setTakenDown(test.core, deployment, false);
    expect(await getDeployment(scope, deployment)).not.toHaveProperty('takenDown');
    await setTakenDown(test.core, deployment, true);
    expect(await getDeployment(scope, deployment)).toMatchObject({ takenDown: { reason: null } });
    await setTakenDown(test.core, deployment, false);
  });
});

describe('api §3: PATCH /deployments/{deployment}', () => {
  it('replaces the labels, clears them with an empty list, and changes nothing else', async () => {
    const created = await deploy({ labels: '["one"]', via: 'cli', ttl: '600' });
    for (const labels of [['two', 'three'], []]) {
      expect(await updateDeployment(scope, created.deployment, { labels })).toEqual({ ...created, labels });
      expect(await getDeployment(scope, created.deployment)).toEqual({ ...created, labels });
    }
  });

  it('sets, replaces and removes the password, and changes nothing else', async () => {
    const created = await deploy({ labels: '["one"]' });
    const hashes: unknown[] = [];
    for (const password of ['first secret', 'second secret', null]) {
      const expected = { ...created, password: password !== null };
      expect(await updateDeployment(scope, created.deployment, { password })).toEqual(expected);
      const [row] = await test.database.query('select password_hash from deployment where id = $1', [
        created.deployment,
      ]);
      hashes.push(row!['password_hash']);
    }
    expect(hashes).toEqual([expect.stringMatching(/^\$argon2id\$/), expect.stringMatching(/^\$argon2id\$/), null]);
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it('sets and removes the time to live, counted from now', async () => {
    const { deployment } = await deploy();
    const now = Math.floor(test.core.now().getTime() / 1000);
    const { expires } = await updateDeployment(scope, deployment, { ttl: 3_600 });
    expect(expires! - now).toBeGreaterThanOrEqual(3_600);
    expect(expires! - now).toBeLessThan(3_660);
    expect(await updateDeployment(scope, deployment, { ttl: null })).not.toHaveProperty('expires');
  });

  it('refuses a time to live while a domain points at the deployment, and names the domain', async () => {
    const { deployment } = await deploy();
    const { domain } = await putDomain(scope, 'patched.sites.test', { deployment });
    await expect(updateDeployment(scope, deployment, { ttl: 60, labels: ['new'] })).rejects.toMatchObject({
      code: 'business_logic_error',
      details: { domains: [domain.domain] },
    });
    expect(await getDeployment(scope, deployment)).toMatchObject({ labels: [] });
    expect(await updateDeployment(scope, deployment, { ttl: null, labels: ['new'] })).toMatchObject({
      labels: ['new'],
    });
  });

  it('records what changed, without the password', async () => {
    const { deployment } = await deploy();
    await updateDeployment(scope, deployment, { labels: ['one'], password: 'open sesame', ttl: 60 });
    const [row] = await test.database.query(
      `select meta from activity where deployment = $1 and event = 'deployment.update'`,
      [deployment],
    );
    expect(row!['meta']).toEqual({ labels: ['one'], password: true, expires: expect.any(Number) });
  });

  it('is refused with 422 while the deployment is being deleted', async () => {
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

describe('api §3: DELETE /deployments/{deployment}', () => {
  it('takes the site offline at once, can be repeated until the sweep runs, and then returns 404', async () => {
    const { deployment } = await deploy();
    expect(await deleteDeployment(scope, deployment)).toEqual({ deployment, status: 'deleting' });
    expect(await readSite(test.core, deployment)).toBeNull();
    expect(await getDeployment(scope, deployment)).toMatchObject({ status: 'deleting' });
    expect(await deleteDeployment(scope, deployment)).toEqual({ deployment, status: 'deleting' });
    await sweepAll(test);
    await expect(deleteDeployment(scope, deployment)).rejects.toMatchObject({ code: 'not_found' });
    await expect(getDeployment(scope, deployment)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is counted and recorded once if 20 requests arrive at once', async () => {
    const { deployment } = await deploy();
    await deploy();
    const responses = await Promise.all(Array.from({ length: 20 }, () => deleteDeployment(scope, deployment)));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    const [row] = await test.database.query(
      `select deployment_count as count, (select count(*)::int from activity where deployment = $2 and event = 'deployment.delete') as entries from account where id = $1`,
      [caller.account, deployment],
    );
    expect(row).toEqual({ count: 1, entries: 1 });
  });

  it('storage §2: causes no deadlock with concurrent updates of the same deployment', async () => {
    const deadlocks = () =>
      test.database.query('select deadlocks from pg_stat_database where datname = current_database()');
    const deadlocksBefore = await deadlocks();
    for (let round = 0; round < 6; round += 1) {
      const { deployment } = await deploy();
      const refusedCalls = await refusals(
        Array.from({ length: 14 }, (_, i) =>
          i % 7 === 6
            ? deleteDeployment(scope, deployment)
            : updateDeployment(scope, deployment, { labels: [`label-${i}`] }),
        ),
      );
      for (const error of refusedCalls) expect(error).toMatchObject({ code: 'business_logic_error' });
    }
    await test.database.query('select pg_stat_force_next_flush()');
    expect(await deadlocks()).toEqual(deadlocksBefore);
  });
});
