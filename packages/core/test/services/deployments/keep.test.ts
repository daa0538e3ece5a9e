import { randomBytes, randomUUID } from 'node:crypto';
import { DEFAULT_PLANS } from '@berth/contract';
import { createTestCore, deploySite, readSite, refusal } from '@berth/testing/core';
import { expectSound, stateOf } from '@berth/testing/invariants';
import { publishDelta, type UploadFiles } from '@berth/testing/uploads';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { addToken } from '../../../src/services/accounts/tokens.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { deleteDeployment, listDeployments } from '../../../src/services/deployments/deployments.ts';
import { deleteDomain, getDomain } from '../../../src/services/domains/domains.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';
import { beginUpload } from '../../../src/services/uploads/begin-upload.ts';

const FREE = DEFAULT_PLANS[0]!;
const MEGABYTE = 1_000_000;
const test = await createTestCore({
  plans: createPlans([
    ...DEFAULT_PLANS,
    { ...FREE, plan: 'three', caps: { ...FREE.caps!, deployments: 3 } },
    { ...FREE, plan: 'small', caps: { ...FREE.caps!, storage: 2 * MEGABYTE } },
  ]),
});
const { core } = test;
let caller: AccountCaller;
let domain: string;
let serial = 0;
const freshName = () => `shop-${(serial += 1)}.sites.test`;
beforeEach(async () => {
  ({ caller } = await test.account('team'));
  domain = freshName();
});
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

const scope = () => ({ core, caller });
interface Options {
  domain?: string;
  keep?: number;
  password?: string;
}
type Deploy = (options: Options, files?: UploadFiles, by?: AccountCaller) => ReturnType<typeof publishDelta>;
const freshSite = () => ({ 'index.html': randomUUID() });
const multipart: Deploy = async (options, files = freshSite(), by = caller) => {
  const fields = Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
  return (await deploySite(core, by, files, { fields })).body;
};
const delta: Deploy = (options, files = freshSite(), by = caller) => publishDelta(core, by, files, { ...options });
/** Publishes versions of the domain, and returns their ids, the oldest first. */
async function versions(count: number, options: Options = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await multipart({ domain, ...options })).deployment);
  return ids;
}
const existing = async () =>
  (await listDeployments(scope(), { limit: 100 })).deployments
    .filter(({ status }) => status === 'success')
    .map(({ deployment }) => deployment);

describe.each([
  ['a multipart deploy', multipart],
  ['a delta upload', delta],
])('api §3: %s with keep', (_, deploy) => {
  it('deletes the oldest versions beyond the number, and lists and records them', async () => {
    const [first, second, third] = await versions(3);
    const { deployment, deleted } = await deploy({ domain, keep: 2 });
    expect(deleted).toEqual([second, first]);
    expect(await existing()).toEqual([deployment, third]);
    expect(await readSite(core, first!)).toBeNull();
    expect(await getDomain(scope(), domain)).toMatchObject({ deployment });
    const { activities } = await listActivities(scope(), { limit: 4 });
    expect(activities.filter(({ event }) => event === 'deployment.delete')).toMatchObject(
      [first, second].map((id) => ({ deployment: id, domain, authMethod: 'api-key', meta: { keep: 2 } })),
    );
  });

  it('deletes nothing if there are at most as many versions, or without keep', async () => {
    await versions(2);
    expect(await deploy({ domain, keep: 3 })).toMatchObject({ deleted: [] });
    expect(await deploy({ domain })).not.toHaveProperty('deleted');
    expect(await deploy({ domain: freshName(), keep: 1 })).toMatchObject({ deleted: [] });
    expect(await existing()).toHaveLength(5);
  });

  it('of 1 deletes what the domain showed, whose password the new deployment gets', async () => {
    const ids = await versions(2, { password: 'open sesame' });
    const { deployment, deleted, password } = await deploy({ domain, keep: 1 });
    expect({ deleted, password }).toEqual({ deleted: ids.toReversed(), password: true });
    expect(await existing()).toEqual([deployment]);
  });

  it('spares a version that another domain shows, but counts it', async () => {
    const [first, second, third] = await versions(3);
    await putDomain(scope(), freshName(), { deployment: second! });
    const { deployment, deleted } = await deploy({ domain, keep: 2 });
    expect(deleted).toEqual([first]);
    expect(await existing()).toEqual([deployment, third, second]);
  });

  it('takes a version as new as its last link to the domain', async () => {
    const [first, second, third] = await versions(3);
    await putDomain(scope(), domain, { deployment: first! });
    const { deployment, deleted } = await deploy({ domain, keep: 2 });
    expect(deleted).toEqual([third, second]);
    expect(await existing()).toEqual([deployment, first]);
  });

  it('does not count deleted versions and deployments that the domain never showed', async () => {
    const [first, second, third] = await versions(3);
    const { deployment: neverLinked } = await deploy({});
    await deleteDeployment(scope(), second!);
    const { deployment, deleted } = await deploy({ domain, keep: 2 });
    expect(deleted).toEqual([first]);
    expect(await existing()).toEqual([deployment, neverLinked, third]);
  });

  it('does not delete what another account showed at the name', async () => {
    const { caller: previousOwner } = await test.account('team');
    const { deployment: theirs } = await deploy({ domain }, freshSite(), previousOwner);
    await deleteDomain({ core, caller: previousOwner }, domain);
    expect(await deploy({ domain, keep: 1 })).toMatchObject({ deleted: [] });
    expect(await readSite(core, theirs)).not.toBeNull();
  });

  it('api §6: is judged by the cap on deployments after the deletions', async () => {
    ({ caller } = await test.account('three'));
    await versions(3);
    const before = await stateOf(test);
    const refused = { code: 'forbidden', details: { cap: 'deployments', used: 3, limit: 3 } };
    expect(await refusal(deploy({ domain }))).toMatchObject(refused);
    expect(await refusal(deploy({ domain, keep: 4 }))).toMatchObject(refused);
    expect(await stateOf(test)).toEqual(before);
    expect((await deploy({ domain, keep: 3 })).deleted).toHaveLength(1);
    expect(await existing()).toHaveLength(3);
  });

  it('api §6: is judged by the cap on storage after the deletions', async () => {
    ({ caller } = await test.account('small'));
    const site = () => ({ 'image.png': randomBytes(MEGABYTE) });
    for (let i = 0; i < 2; i += 1) await deploy({ domain }, site());
    expect(await refusal(deploy({ domain, keep: 3 }, site()))).toMatchObject({ details: { cap: 'storage' } });
    expect((await deploy({ domain, keep: 2 }, site())).deleted).toHaveLength(1);
    expect(await getAccount(scope())).toMatchObject({ usage: { deployments: 2, storage: 2 * MEGABYTE } });
    const largeSite = { 'a.png': randomBytes(MEGABYTE), 'b.png': randomBytes(MEGABYTE), 'c.txt': 'x' };
    const before = await existing();
    expect(await refusal(deploy({ domain, keep: 1 }, largeSite))).toMatchObject({ details: { cap: 'storage' } });
    expect(await existing()).toEqual(before);
  });

  it('api §5: of a deploy token is at least the number of the token', async () => {
    await versions(4);
    const { secret } = await addToken(scope(), { kind: 'deploy', domains: [domain], keep: 3 });
    const by = (await authenticate(core, `Bearer ${secret}`, '127.0.0.1')) as AccountCaller;
    const before = await stateOf(test);
    expect(await refusal(deploy({ domain, keep: 2 }, freshSite(), by))).toMatchObject({ status: 403 });
    expect(await stateOf(test)).toEqual(before);
    expect((await deploy({ domain, keep: 3 }, freshSite(), by)).deleted).toHaveLength(2);
  });

  it('storage L5: leaves exactly as many versions after concurrent deploys', async () => {
    await versions(4);
    const published = await Promise.all(Array.from({ length: 10 }, () => deploy({ domain, keep: 3 })));
    const remaining = await existing();
    expect(remaining).toHaveLength(3);
    const deleted = published.flatMap((deployment) => deployment.deleted!);
    expect(new Set(deleted).size).toBe(deleted.length);
    expect(deleted).toHaveLength(11);
    expect(remaining).toContain((await getDomain(scope(), domain)).deployment);
  });
});

it('storage L5: a version is never both deleted by keep and linked by a concurrent request', async () => {
  for (let round = 0; round < 8; round += 1) {
    const [first] = await versions(2);
    const otherDomain = freshName();
    const [published, linked] = await Promise.allSettled([
      multipart({ domain, keep: 1 }),
      putDomain(scope(), otherDomain, { deployment: first! }),
      putDomain(scope(), domain, { deployment: first! }),
      deleteDeployment(scope(), first!),
    ]);
    expect(published.status).toBe('fulfilled');
    const remaining = await existing();
    if (linked.status === 'fulfilled') expect(remaining).toContain(first);
    expect(remaining).toContain((await getDomain(scope(), domain)).deployment);
  }
});

describe('api §3: a repeated deploy with keep', () => {
  it('gets the same list of deleted versions, and deletes nothing else', async () => {
    await versions(3);
    const site = freshSite();
    const send = () => deploySite(core, caller, site, { key: 'kept', fields: { domain, keep: '2' } });
    const { body } = await send();
    expect(body.deleted).toHaveLength(2);
    await versions(2);
    expect(await send()).toMatchObject({ body, replayed: true });
    expect(await existing()).toHaveLength(4);
  });
});

describe('api §6: at a cap, a deploy whose options are not known yet', () => {
  it.each([
    ['is refused at once if the account has no older versions', 0, false],
    ['is received if it may delete older versions', 2, true],
  ])('%s', async (_, versionCount, isReceived) => {
    ({ caller } = await test.account('three'));
    await versions(versionCount);
    while ((await existing()).length < 3) await multipart({});
    const outcome = await beginDeploy(scope(), null).then(
      (deploy) => deploy.close().then(() => true),
      () => false,
    );
    expect(outcome).toBe(isReceived);
  });

  it('begins a delta upload only if keep makes room, and frees nothing before the commit', async () => {
    ({ caller } = await test.account('three'));
    await versions(3);
    const files = [
      { path: 'index.html', size: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    ];
    expect(await refusal(beginUpload(scope(), { files, domain }))).toMatchObject({ details: { cap: 'deployments' } });
    await beginUpload(scope(), { files, domain, keep: 3 });
    expect(await existing()).toHaveLength(3);
  });
});
