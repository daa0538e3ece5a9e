import { DEFAULT_PLANS } from '@berth/contract';
import { createTestCore, deploySite, refusals } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../src/core.ts';
import { getAccount } from '../../src/services/accounts/accounts.ts';
import { createPlans } from '../../src/services/accounts/plans.ts';
import { beginDeploy } from '../../src/services/deployments/deploy.ts';
import { deleteDeployment, listDeployments } from '../../src/services/deployments/deployments.ts';
import { deleteDomain, listDomains } from '../../src/services/domains/domains.ts';
import { putDomain } from '../../src/services/domains/put-domain.ts';

const CAPS = { deployments: 5, platformDomains: 4, customDomains: 3, seats: 1 };
const PLAN = { ...DEFAULT_PLANS[0]!, caps: CAPS };
const SITE = { 'index.html': 'the same for all' };

let caller: AccountCaller;
const test = await createTestCore({ plans: createPlans([PLAN, { ...PLAN, plan: 'open', caps: null }]) });
const { core } = test;
afterAll(async () => {
  await expectSound(test);
  await test.close();
});
beforeEach(async () => {
  ({ caller } = await test.account());
});

let lastNumber = 0;
const domains = (nextName: () => string) => ({
  create: async () => (await putDomain({ core, caller }, nextName(), {})).domain.domain,
  delete: (name: string) => deleteDomain({ core, caller }, name),
  list: async () => (await listDomains({ core, caller }, { limit: 100 })).domains,
});
/** Functions that create, delete and list each kind of resource that has a cap. */
const KINDS = {
  deployments: {
    create: async () => (await deploySite(core, caller, SITE)).body.deployment,
    delete: (id: string) => deleteDeployment({ core, caller }, id),
    list: async () => (await listDeployments({ core, caller }, { limit: 100 })).deployments,
  },
  platformDomains: domains(() => `site-${(lastNumber += 1)}.sites.test`),
  customDomains: domains(() => `www.shop-${(lastNumber += 1)}.dev`),
};
const names = Object.keys(KINDS) as (keyof typeof KINDS)[];

const usage = async () => (await getAccount({ core, caller })).usage;
const refusalOf = (cap: keyof typeof KINDS, used = CAPS[cap]) => ({
  code: 'forbidden',
  status: 403,
  details: { cap, used, limit: CAPS[cap] },
});
async function fillCap(kind: keyof typeof KINDS): Promise<string[]> {
  const created: string[] = [];
  while (created.length < CAPS[kind]) created.push(await KINDS[kind].create());
  return created;
}
const changePlan = (plan: string) =>
  test.database.query('update account set plan = $2 where id = $1', [caller.account, plan]);

describe.each(names)('api §6: the cap on %s', (kind) => {
  const limit = CAPS[kind];
  const resources = KINDS[kind];

  it('T26: lets exactly as many of 50 concurrent requests succeed as the cap allows', async () => {
    const usageBefore = await usage();
    const refusedCreations = await refusals(Array.from({ length: 50 }, resources.create));
    expect(refusedCreations).toHaveLength(50 - limit);
    for (const error of refusedCreations) expect(error).toMatchObject(refusalOf(kind));
    expect(await usage()).toEqual({ ...usageBefore, storage: expect.any(Number), [kind]: limit });
    expect(await resources.list()).toHaveLength(limit);
  });

  it('T26: is never exceeded while deletes make room', async () => {
    let created = 0;
    const worker = async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        try {
          const name = await resources.create();
          created += 1;
          expect((await usage())[kind]).toBeLessThanOrEqual(limit);
          await resources.delete(name);
        } catch (error) {
          expect(error).toMatchObject({ code: 'forbidden', details: { cap: kind, limit } });
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    expect(created).toBeGreaterThan(limit);
    expect((await usage())[kind]).toBe(0);
    // The account is locked while an activity is written, so ids increase in the order of the commits.
    const log = await test.database.query<{ event: string }>(
      `select event from activity where account_id = $1 and event ~ '^(deployment|domain)' order by id`,
      [caller.account],
    );
    expect(log).toHaveLength(created * 2);
    let count = 0;
    for (const { event } of log) {
      count += event.endsWith('.create') ? 1 : -1;
      expect(count).toBeLessThanOrEqual(limit);
      expect(count).toBeGreaterThanOrEqual(0);
    }
  });

  it('does not restrict other kinds of resources', async () => {
    await fillCap(kind);
    await expect(resources.create()).rejects.toMatchObject(refusalOf(kind));
    for (const otherKind of names.filter((each) => each !== kind)) await KINDS[otherKind].create();
  });

  it('follows the current plan of the account, not the plan that was read with the credential', async () => {
    await fillCap(kind);
    await changePlan('open');
    await resources.create();
    await changePlan('no longer sold');
    await expect(resources.create()).rejects.toMatchObject(refusalOf(kind, limit + 1));
  });
});

describe('api §6: the cap on deployments', () => {
  it('refuses a deploy before its first byte is read, or at its end if the deploy has an idempotency key', async () => {
    await fillCap('deployments');
    await expect(beginDeploy({ core, caller }, null)).rejects.toMatchObject(refusalOf('deployments'));
    await expect(deploySite(core, caller, SITE, { key: 'k' })).rejects.toMatchObject(refusalOf('deployments'));
    expect(core.activePacks.size).toBe(0);
  });

  it('does not count deployments that are being deleted', async () => {
    const [first] = await fillCap('deployments');
    for (let deletion = 0; deletion < 2; deletion += 1) await deleteDeployment({ core, caller }, first!);
    expect((await usage()).deployments).toBe(CAPS.deployments - 1);
    await deploySite(core, caller, SITE);
    await expect(deploySite(core, caller, SITE)).rejects.toMatchObject(refusalOf('deployments'));
  });
});

describe('api §6: the cap on custom domains', () => {
  const pauseDomains = (paused: string[]) =>
    test.database.query(`update domain set status = 'paused' where name = any($1)`, [paused]);

  it('does not prevent changes of existing domains', async () => {
    const [first] = await fillCap('customDomains');
    expect(await putDomain({ core, caller }, first!, { labels: ['kept'] })).toMatchObject({ created: false });
  });

  it('does not count paused domains, which stay paused when they are changed', async () => {
    const [first, second] = await fillCap('customDomains');
    await pauseDomains([first!, second!]);
    expect(await usage()).toMatchObject({ customDomains: 1 });
    const { domain } = await putDomain({ core, caller }, first!, { labels: ['later'] });
    expect(domain).toMatchObject({ status: 'paused', labels: ['later'] });
    for (let i = 0; i < 2; i += 1) await KINDS.customDomains.create();
    await expect(KINDS.customDomains.create()).rejects.toMatchObject(refusalOf('customDomains'));
  });
});

it('api §6: an account that is suspended during the request gets no domain', async () => {
  await test.database.query(`update account set state = 'suspended' where id = $1`, [caller.account]);
  await expect(KINDS.platformDomains.create()).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('suspended'),
  });
});
