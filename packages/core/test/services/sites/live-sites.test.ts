import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { LiveSiteCache } from '../../../src/services/sites/live-sites.ts';
import { PackedManifest } from '../../../src/services/sites/packed-manifest.ts';
import { NO_RULES, type Site } from '@berth/serving';
import { ANONYMOUS, createTestCore, deploySite, type TestCore } from '@berth/testing/core';

const SITE = { 'index.html': 'hello', 'a/b.html': 'world', empty: '' };

let test: TestCore;
let caller: AccountCaller;
beforeAll(async () => {
  test = await createTestCore();
  ({ caller } = await test.account());
});
afterAll(() => test.close());

/** Returns the site of a deployment; `null` if it is not shown. */
async function findSite(sites: LiveSiteCache, deployment: string, { fresh = false } = {}): Promise<Site | null> {
  // Waits for the notifications of changes by other processes.
  await test.core.database.siteChanges.catchUp();
  const site = await (fresh ? sites.findFresh({ deployment }) : sites.find({ deployment }));
  return typeof site === 'string' ? null : site;
}

const deploy = async (fields: Record<string, string> = {}) =>
  (await deploySite(test.core, caller, SITE, { fields })).body.deployment;

describe('sites that can be served', () => {
  it('are those that are live, with the content and place of each file', async () => {
    const deployment = await deploy();
    const site = await findSite(new LiveSiteCache(test.core), deployment);
    expect(site).toEqual({
      deployment,
      passwordVersion: null,
      anonymous: false,
      manifest: expect.any(PackedManifest),
      rules: NO_RULES,
    });
    expect([...site!.manifest].map(([path]) => path).toSorted()).toEqual(Object.keys(SITE).toSorted());
    for (const [path, text] of Object.entries(SITE)) {
      expect(site!.manifest.get(path)).toEqual({
        sha256: hash('sha256', text),
        pack: expect.any(String),
        offset: expect.any(Number),
        length: text.length,
      });
      expect((await test.core.packs.read(site!.manifest.get(path)!)).toString()).toBe(text);
    }
  });

  it('include whether they have a password and an owner', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, SITE, { fields: { password: 'secret' } });
    expect(await findSite(new LiveSiteCache(test.core), body.deployment)).toMatchObject({
      passwordVersion: expect.any(String),
      anonymous: true,
    });
  });

  it.each([['calm-otter-0000000'], [''], ['%'], ["' or true --"], ['a'.repeat(5_000)], ['__proto__']])(
    'do not include deployments that never existed: %j',
    async (name) => {
      expect(await findSite(new LiveSiteCache(test.core), name)).toBeNull();
    },
  );

  it('do not include those of an account while it is suspended or terminated', async () => {
    const sites = new LiveSiteCache(test.core);
    const { caller: other } = await test.account();
    const { body } = await deploySite(test.core, other, SITE);
    for (const [state, shown] of [
      ['suspended', false],
      ['active', true],
      ['terminated', false],
    ] as const) {
      await test.database.query('update account set state = $2 where id = $1', [other.account, state]);
      expect((await findSite(sites, body.deployment)) !== null, state).toBe(shown);
    }
  });
});

describe('cached sites', () => {
  it('are gone at once when their deployment is deleted', async () => {
    const sites = new LiveSiteCache(test.core);
    const deployment = await deploy();
    expect(await findSite(sites, deployment)).not.toBeNull();
    await deleteDeployment({ core: test.core, caller }, deployment);
    expect(await findSite(sites, deployment)).toBeNull();
    expect(await findSite(sites, deployment, { fresh: true })).toBeNull();
  });

  it('show a new password at once', async () => {
    const sites = new LiveSiteCache(test.core);
    const deployment = await deploy();
    expect(await findSite(sites, deployment)).toMatchObject({ passwordVersion: null });
    await test.database.query(`update deployment set password_hash = 'x' where id = $1`, [deployment]);
    expect(await findSite(sites, deployment)).toMatchObject({ passwordVersion: expect.any(String) });
  });

  it('C3: have the new places of moved contents after a fresh load', async () => {
    const sites = new LiveSiteCache(test.core);
    const deployment = await deploy();
    await findSite(sites, deployment);
    const before = (await findSite(sites, deployment))!.manifest.get('index.html')!;
    await test.database.query('update content set "offset" = "offset" + 7 where hash = sha256($1)', ['hello']);
    expect((await findSite(sites, deployment))!.manifest.get('index.html')).toEqual(before);
    expect((await findSite(sites, deployment, { fresh: true }))!.manifest.get('index.html')).toEqual({
      ...before,
      offset: before.offset + 7,
    });
    expect((await findSite(sites, deployment))!.manifest.get('index.html')!.offset).toBe(before.offset + 7);
    await test.database.query('update content set "offset" = "offset" - 7 where hash = sha256($1)', ['hello']);
  });

  it('are loaded once for concurrent visitors', async () => {
    const sites = new LiveSiteCache(test.core);
    const deployment = await deploy();
    await test.core.database.siteChanges.catchUp();
    const found = await Promise.all(Array.from({ length: 30 }, () => sites.find({ deployment })));
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatchObject({ deployment });
  });

  it.each([[1], [2_000], [100_000]])('are served however little memory there is (%s bytes)', async (cacheBytes) => {
    const sites = new LiveSiteCache(test.core, { sitesBytes: cacheBytes });
    const deployments = await Promise.all([deploy(), deploy(), deploy()]);
    for (let round = 0; round < 2; round += 1)
      for (const deployment of deployments) expect((await findSite(sites, deployment))!.manifest.size).toBe(3);
  });

  it.each([[1], [2_000], [100_000]])(
    'can lose their manifests during a request without an error, however little memory there is (%s bytes)',
    async (cacheBytes) => {
      const sites = new LiveSiteCache(test.core, { sitesBytes: cacheBytes });
      const deployments = await Promise.all(Array.from({ length: 6 }, () => deploy()));
      await test.database.query('delete from manifest where deployment_id = any($1)', [deployments.slice(0, 5)]);
      const found = await Promise.all(deployments.map((deployment) => findSite(sites, deployment)));
      expect(found.map((site) => site?.manifest.size ?? null)).toEqual([null, null, null, null, null, 3]);
      await test.database.query(`update deployment set status = 'deleting' where id = any($1)`, [deployments]);
    },
  );

  it('that are larger than the whole cache are loaded once, not on each visit', async () => {
    const sites = new LiveSiteCache(test.core, { sitesBytes: 1 });
    const deployment = await deploy();
    const site = await findSite(sites, deployment);
    expect(sites.peek({ deployment })).toBe(site);
    expect(await findSite(sites, deployment)).toBe(site);
    await test.core.database.transaction((em) =>
      sql`update deployment set taken_down = now() where id = ${deployment}`.execute(em.getKysely()),
    );
    expect(await sites.find({ deployment })).toBe('taken-down');
  });
});
