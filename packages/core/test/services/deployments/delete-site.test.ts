import { deploySite, refusal, useTestCore } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';
import { refuseRows } from '@berth/testing/refused-rows';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteSite } from '../../../src/services/deployments/delete-site.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { getSite } from '../../../src/services/sites/list-sites.ts';

const test = await useTestCore();
const { core, database } = test;
let caller: AccountCaller;
beforeEach(async () => void ({ caller } = await test.account('team')));

const scope = () => ({ core, caller });
const publish = async () => (await deploySite(core, caller, { 'index.html': 'hello' })).body.deployment;
let names = 0;
const newName = () => `shop-${(names += 1)}.sites.test`;

/** Links a domain to new deployments, one after the other. @returns The deployments. */
async function linkVersions(name: string, count: number): Promise<string[]> {
  const deployments: string[] = [];
  for (let version = 0; version < count; version += 1) {
    const deployment = await publish();
    await putDomain(scope(), name, { deployment });
    deployments.push(deployment);
  }
  return deployments;
}
const statusesOf = async (deployments: string[]) =>
  (
    await database.query<{ status: string }>(
      'select status from deployment where id = any($1) order by array_position($1, id)',
      [deployments],
    )
  ).map(({ status }) => status);

describe('api §4: the site of a domain', () => {
  it('is deleted with every version, except those that another domain shows', async () => {
    const [name, other] = [newName(), newName()];
    const versions = await linkVersions(name, 3);
    await putDomain(scope(), other, { deployment: versions[1]! });
    const alone = await publish();
    const { site, deployments } = await deleteSite(scope(), name.toUpperCase());
    expect(site).toBe(name);
    expect(deployments.toSorted()).toEqual([versions[0], versions[2]].toSorted());
    expect(await statusesOf([...versions, alone])).toEqual(['deleting', 'success', 'deleting', 'success']);
    expect((await getAccount(scope())).usage).toMatchObject({ deployments: 2, platformDomains: 1 });
    const { activities } = await listActivities(scope(), { limit: 3 });
    expect(activities.map(({ event }) => event)).toEqual(['deployment.delete', 'deployment.delete', 'domain.delete']);
    expect(await refusal(getSite(scope(), name))).toMatchObject({ code: 'not_found' });
  });

  it('stays as it is, with all versions, if one of them cannot be deleted', async () => {
    const name = newName();
    await linkVersions(name, 2);
    const before = await stateOf(test);
    const allow = await refuseRows(database, 'insert on activity', `new.event = 'deployment.delete'`);
    await expect(deleteSite(scope(), name)).rejects.toThrow('refused by the test');
    await allow();
    expect(await stateOf(test)).toEqual(before);
    expect(await getSite(scope(), name)).toMatchObject({ state: 'live' });
  });

  it('can be one that points at no deployment', async () => {
    const name = newName();
    await putDomain(scope(), name, {});
    expect(await deleteSite(scope(), name)).toEqual({ site: name, deployments: [] });
  });
});

describe('api §3: the site of a deployment', () => {
  it('is deleted like the deployment, and not while a domain shows it', async () => {
    const deployment = await publish();
    const name = newName();
    await putDomain(scope(), name, { deployment });
    expect(await refusal(deleteSite(scope(), deployment))).toMatchObject({
      code: 'business_logic_error',
      details: { domains: [name] },
    });
    const alone = await publish();
    expect(await deleteSite(scope(), alone)).toEqual({ site: alone, deployments: [alone] });
    expect(await getSite(scope(), alone)).toMatchObject({ state: 'deleting' });
  });

  it('T22: is not found in another account', async () => {
    const deployment = await publish();
    const name = newName();
    await putDomain(scope(), name, { deployment });
    const { caller: other } = await test.account('team');
    for (const site of [deployment, name])
      expect(await refusal(deleteSite({ core, caller: other }, site))).toMatchObject({ code: 'not_found' });
  });
});
