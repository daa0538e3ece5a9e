import type { DomainVersion } from '@berth/contract';
import { createTestCore, deploySite } from '@berth/testing/core';
import { afterAll, describe, expect, it } from 'vitest';
import { deleteDeployment, updateDeployment } from '../../../src/services/deployments/deployments.ts';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';
import { deleteDomain } from '../../../src/services/domains/domains.ts';
import { listVersions } from '../../../src/services/domains/list-versions.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { sweep } from '../../../src/services/sweep/sweep.ts';

const test = await createTestCore();
const caller = (await test.account('team')).caller;
const own = { core: test.core, caller };
afterAll(() => test.close());

const publish = async () => (await deploySite(test.core, caller, { 'index.html': 'home' })).body.deployment;
/** Links a domain and returns when that happened, a minute after the previous link. */
async function link(name: string, deployment: string): Promise<number> {
  test.advance(60);
  return (await putDomain(own, name, { deployment })).domain.linked!;
}
const versionsOf = async (name: string) => (await listVersions(own, name, { limit: 100 })).versions;
const deploymentsOf = (versions: DomainVersion[]) => versions.map(({ deployment }) => deployment);

let serial = 0;
const newName = () => `shop-${(serial += 1)}.sites.test`;

describe('api §4: the versions of a domain', () => {
  it('name each deployment that it was linked to, newest first, with the time it was linked and unlinked', async () => {
    const name = newName();
    await putDomain(own, name, {});
    expect(await versionsOf(name)).toEqual([]);
    const [deploymentA, deploymentB] = [await publish(), await publish()];
    const linked = [await link(name, deploymentA), await link(name, deploymentB), await link(name, deploymentA)];
    await putDomain(own, name, { labels: ['shop'] });
    await putDomain(own, name, { deployment: deploymentA });
    const version = { by: 'api-key', token: caller.token, available: true, published: expect.anything() };
    expect(await versionsOf(name)).toEqual([
      { ...version, deployment: deploymentA, linked: linked[2], unlinked: null, previous: deploymentB },
      { ...version, deployment: deploymentB, linked: linked[1], unlinked: linked[2], previous: deploymentA },
      { ...version, deployment: deploymentA, linked: linked[0], unlinked: linked[1], previous: null },
    ]);
  });

  it('begin with the deployment that the request linked when it created the domain', async () => {
    const [name, deployment] = [newName(), await publish()];
    const linked = await link(name, deployment);
    expect(await versionsOf(name)).toMatchObject([
      { deployment, linked, unlinked: null, by: 'api-key', available: true, previous: null },
    ]);
  });

  it('say who published each deployment and how, until it is deleted', async () => {
    const name = newName();
    const token = await test.deployToken(caller);
    const fields = { via: 'ci', password: 'open sesame' };
    const { body } = await deploySite(test.core, token, { 'index.html': 'home', 'a.txt': 'a' }, { fields });
    await link(name, body.deployment);
    await link(name, await publish());
    expect((await versionsOf(name))[1]!.published).toEqual({
      created: body.created,
      files: 2,
      size: 5,
      via: 'ci',
      password: true,
      by: 'deploy-token',
      token: token.token,
    });
    await deleteDeployment(own, body.deployment);
    expect(await versionsOf(name)).toMatchObject([{ previous: null }, { available: false, published: null }]);
  });

  it('are at most 1,000, so that the oldest one is deleted by the next link', async () => {
    const [name, otherName, deployment] = [newName(), newName(), await publish()];
    await test.database.query(
      `insert into domain_version (account_id, domain, deployment, linked, unlinked, by)
       select $1, name, 'version-' || number, now(), now(), 'api-key'
       from unnest($2::text[]) as name, generate_series(1, 1000) as number order by number`,
      [caller.account, [name, otherName]],
    );
    await link(name, deployment);
    expect(
      await test.database.query(
        `select domain, count(*)::int as count, min(substring(deployment from 'version-(\\d+)')::int) as oldest
         from domain_version where domain = any($1) group by domain order by domain`,
        [[name, otherName]],
      ),
    ).toEqual([
      { domain: name, count: 1000, oldest: 2 },
      { domain: otherName, count: 1000, oldest: 1 },
    ]);
  });

  it('are listed in pages, whose cursor belongs to the domain', async () => {
    const [name, otherName] = [newName(), newName()];
    const deployments = [await publish(), await publish(), await publish()];
    for (const deployment of deployments) for (const domain of [name, otherName]) await link(domain, deployment);
    const firstPage = await listVersions(own, name, { limit: 2 });
    expect(deploymentsOf(firstPage.versions)).toEqual([deployments[2], deployments[1]]);
    const secondPage = await listVersions(own, name, { limit: 2, cursor: firstPage.nextCursor });
    expect(deploymentsOf(secondPage.versions)).toEqual([deployments[0]]);
    expect(secondPage).not.toHaveProperty('nextCursor');
    await expect(listVersions(own, otherName, { limit: 2, cursor: firstPage.nextCursor })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });

  it('stay when their deployment is deleted, taken down or expires, and are then not available', async () => {
    const name = newName();
    const [deleted, takenDown, expiring, current] = [
      await publish(),
      await publish(),
      await publish(),
      await publish(),
    ];
    for (const deployment of [deleted, takenDown, expiring, current]) await link(name, deployment);
    await deleteDeployment(own, deleted);
    await setTakenDown(test.core, takenDown, true);
    await updateDeployment(own, expiring, { ttl: 3_600 });
    const availability = async () =>
      (await versionsOf(name)).map(({ deployment, available }) => [deployment, available]);
    const expectedVersions = [
      [current, true],
      [expiring, false],
      [takenDown, false],
      [deleted, false],
    ];
    expect(await availability()).toEqual(expectedVersions);
    await sweep(test.core);
    expect(await availability()).toEqual(expectedVersions);
    await setTakenDown(test.core, takenDown, false);
    expect(await availability()).toContainEqual([takenDown, true]);
  });

  it('are those of the account at this name, also after the domain was deleted and created again', async () => {
    const [name, deployment] = [newName(), await publish()];
    const linked = await link(name, deployment);
    test.advance(60);
    await deleteDomain(own, name);
    await expect(versionsOf(name)).rejects.toMatchObject({ code: 'not_found' });
    const otherScope = { core: test.core, caller: (await test.account('team')).caller };
    await putDomain(otherScope, name, {});
    expect((await listVersions(otherScope, name, { limit: 100 })).versions).toEqual([]);
    await deleteDomain(otherScope, name);
    await putDomain(own, name, {});
    const versions = await versionsOf(name);
    expect(versions).toMatchObject([{ deployment, linked, by: 'api-key', available: true }]);
    expect(versions[0]!.unlinked).toBeGreaterThanOrEqual(linked + 60);
  });

  it('have exactly one current entry after many requests linked the domain at the same time', async () => {
    const [name, deploymentA, deploymentB] = [newName(), await publish(), await publish()];
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => putDomain(own, name, { deployment: n % 2 ? deploymentA : deploymentB })),
    );
    const { domain } = await putDomain(own, name, {});
    const versions = await versionsOf(name);
    expect(deploymentsOf(versions.filter(({ unlinked }) => unlinked === null))).toEqual([domain.deployment]);
    expect(versions).toHaveLength(domain.links);
    expect(versions[0]).toMatchObject({ deployment: domain.deployment, unlinked: null });
  });
});
