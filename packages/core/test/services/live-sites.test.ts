import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { deleteDeployment } from '../../src/services/deployments.ts';
import { createLiveSites } from '../../src/services/live-sites.ts';
import { ANONYMOUS, createTestCore, deploySite, type TestCore } from '../test-core.ts';

const SITE = { 'index.html': 'hello', 'a/b.html': 'world', empty: '' };

let test: TestCore;
let caller: AccountCaller;
beforeAll(async () => {
  test = await createTestCore();
  ({ caller } = await test.account());
});
afterAll(() => test.close());

const deploy = async (fields: Record<string, string> = {}) =>
  (await deploySite(test.core, caller, SITE, { fields })).body.deployment;

describe('which sites may be answered', () => {
  it('are those that are live, with each file’s content and place', async () => {
    const deployment = await deploy();
    const site = await createLiveSites(test.core).find(deployment);
    expect(site).toEqual({ deployment, locked: false, anonymous: false, manifest: expect.any(Map) });
    expect([...site!.manifest.keys()].toSorted()).toEqual(Object.keys(SITE).toSorted());
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

  it('tell of a password and of having no owner', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, SITE, { fields: { password: 'secret' } });
    expect(await createLiveSites(test.core).find(body.deployment)).toMatchObject({ locked: true, anonymous: true });
  });

  it.each([['calm-otter-0000000'], [''], ['%'], ["' or true --"], ['a'.repeat(5_000)], ['__proto__']])(
    'are not those that never were: %j',
    async (name) => {
      expect(await createLiveSites(test.core).find(name)).toBeNull();
    },
  );

  it('are not those of a suspended or terminated account, for as long as it is one', async () => {
    const sites = createLiveSites(test.core);
    const { caller: other } = await test.account();
    const { body } = await deploySite(test.core, other, SITE);
    for (const [state, shown] of [
      ['suspended', false],
      ['active', true],
      ['terminated', false],
    ] as const) {
      await test.database.query('update account set state = $2 where id = $1', [other.account, state]);
      expect((await sites.find(body.deployment)) !== null, state).toBe(shown);
    }
  });
});

describe('manifests are kept, whether a site may be answered is asked', () => {
  it('a deleted site is gone at once, though its manifest was kept', async () => {
    const sites = createLiveSites(test.core);
    const deployment = await deploy();
    expect(await sites.find(deployment)).not.toBeNull();
    await deleteDeployment({ core: test.core, caller }, deployment);
    expect(await sites.find(deployment)).toBeNull();
    expect(await sites.find(deployment, { fresh: true })).toBeNull();
  });

  it('a password that comes to be is seen at once', async () => {
    const sites = createLiveSites(test.core);
    const deployment = await deploy();
    expect(await sites.find(deployment)).toMatchObject({ locked: false });
    await test.database.query(`update deployment set password_hash = 'x' where id = $1`, [deployment]);
    expect(await sites.find(deployment)).toMatchObject({ locked: true });
  });

  it('C3: moved contents are found by asking afresh', async () => {
    const sites = createLiveSites(test.core);
    const deployment = await deploy();
    const before = (await sites.find(deployment))!.manifest.get('index.html')!;
    await test.database.query('update content set "offset" = "offset" + 7 where hash = sha256($1)', ['hello']);
    expect((await sites.find(deployment))!.manifest.get('index.html')).toEqual(before);
    expect((await sites.find(deployment, { fresh: true }))!.manifest.get('index.html')).toEqual({
      ...before,
      offset: before.offset + 7,
    });
    expect((await sites.find(deployment))!.manifest.get('index.html')!.offset).toBe(before.offset + 7);
    await test.database.query('update content set "offset" = "offset" - 7 where hash = sha256($1)', ['hello']);
  });

  it('are asked for once by any number of visitors at the same time', async () => {
    const sites = createLiveSites(test.core);
    const deployment = await deploy();
    const found = await Promise.all(Array.from({ length: 30 }, () => sites.find(deployment)));
    expect(new Set(found.map((site) => site!.manifest)).size).toBe(1);
  });

  it.each([[1], [2_000], [100_000]])(
    'are answered in any case, however little memory there is (%s bytes)',
    async (cacheBytes) => {
      const sites = createLiveSites(test.core, { cacheBytes });
      const deployments = await Promise.all([deploy(), deploy(), deploy()]);
      for (let round = 0; round < 2; round += 1)
        for (const deployment of deployments) expect((await sites.find(deployment))!.manifest.size).toBe(3);
    },
  );

  it('are answered to everybody while others ask afresh', async () => {
    const sites = createLiveSites(test.core);
    const deployment = await deploy();
    for (let round = 0; round < 5; round += 1) {
      const found = await Promise.all(
        Array.from({ length: 20 }, (_, i) => sites.find(deployment, { fresh: i % 3 === 0 })),
      );
      for (const site of found) expect(site!.manifest.size).toBe(3);
    }
  });

  it('are answered to everybody while memory is short', async () => {
    const sites = createLiveSites(test.core, { cacheBytes: 2_500 });
    const deployments = await Promise.all(Array.from({ length: 12 }, () => deploy()));
    for (let round = 0; round < 5; round += 1) {
      const found = await Promise.all([...deployments, ...deployments].map((deployment) => sites.find(deployment)));
      for (const site of found) expect(site!.manifest.size).toBe(3);
    }
  });
});
