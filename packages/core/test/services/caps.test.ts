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

let serial = 0;
const domains = (nextName: () => string) => ({
  create: async () => (await putDomain({ core, caller }, nextName(), {})).domain.domain,
  delete: (name: string) => deleteDomain({ core, caller }, name),
  list: async () => (await listDomains({ core, caller }, { limit: 100 })).domains,
});
/** How each capped thing is created, deleted and listed. */
const KINDS = {
  deployments: {
    create: async () => (await deploySite(core, caller, SITE)).body.deployment,
    delete: (id: string) => deleteDeployment({ core, caller }, id),
    list: async () => (await listDeployments({ core, caller }, { limit: 100 })).deployments,
  },
  platformDomains: domains(() => `site-${(serial += 1)}.sites.test`),
  customDomains: domains(() => `www.shop-${(serial += 1)}.dev`),
};
const names = Object.keys(KINDS) as (keyof typeof KINDS)[];

const usage = async () => (await getAccount({ core, caller })).usage;
const refusalOf = (cap: keyof typeof KINDS, used = CAPS[cap]) => ({
  code: 'forbidden',
  status: 403,
  details: { cap, used, limit: CAPS[cap] },
});
async function fill(kind: keyof typeof KINDS): Promise<string[]> {
  const created: string[] = [];
  while (created.length < CAPS[kind]) created.push(await KINDS[kind].create());
  return created;
}
const changePlan = (plan: string) =>
  test.database.query('update account set plan = $2 where id = $1', [caller.account, plan]);

describe.each(names)('api §6: the cap on %s', (kind) => {
  const limit = CAPS[kind];
  const things = KINDS[kind];

  it('T26: allows exactly as many as the cap, of 50 at once', async () => {
    const before = await usage();
    const refused = await refusals(Array.from({ length: 50 }, things.create));
    expect(refused).toHaveLength(50 - limit);
    for (const error of refused) expect(error).toMatchObject(refusalOf(kind));
    expect(await usage()).toEqual({ ...before, storage: expect.any(Number), [kind]: limit });
    expect(await things.list()).toHaveLength(limit);
  });

  it('T26: holds at every moment while deletes make room', async () => {
    let created = 0;
    const worker = async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        try {
          const name = await things.create();
          created += 1;
          expect((await usage())[kind]).toBeLessThanOrEqual(limit);
          await things.delete(name);
        } catch (error) {
          expect(error).toMatchObject({ code: 'forbidden', details: { cap: kind, limit } });
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, worker));
    expect(created).toBeGreaterThan(limit);
    expect((await usage())[kind]).toBe(0);
    // Activities are written under the lock of the account, so the log has the order in which they happened.
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

  it('prevents nothing of another kind', async () => {
    await fill(kind);
    await expect(things.create()).rejects.toMatchObject(refusalOf(kind));
    for (const other of names.filter((each) => each !== kind)) await KINDS[other].create();
  });

  it('follows the current plan of the account, not the one that was read with the credential', async () => {
    await fill(kind);
    await changePlan('open');
    await things.create();
    await changePlan('no longer sold');
    await expect(things.create()).rejects.toMatchObject(refusalOf(kind, limit + 1));
  });
});

describe('api §6: the cap on deployments', () => {
  it('refuses a full account before a byte is read, but a deploy with a key only at its end', async () => {
    await fill('deployments');
    await expect(beginDeploy({ core, caller }, null)).rejects.toMatchObject(refusalOf('deployments'));
    await expect(deploySite(core, caller, SITE, { key: 'k' })).rejects.toMatchObject(refusalOf('deployments'));
    expect(core.activePacks.size).toBe(0);
  });

  it('does not count deployments that are being deleted', async () => {
    const [first] = await fill('deployments');
    for (let twice = 0; twice < 2; twice += 1) await deleteDeployment({ core, caller }, first!);
    expect((await usage()).deployments).toBe(CAPS.deployments - 1);
    await deploySite(core, caller, SITE);
    await expect(deploySite(core, caller, SITE)).rejects.toMatchObject(refusalOf('deployments'));
  });
});

describe('api §6: the cap on custom domains', () => {
  const pause = (paused: string[]) =>
    test.database.query(`update domain set status = 'paused' where name = any($1)`, [paused]);

  it('does not prevent changes', async () => {
    const [first] = await fill('customDomains');
    expect(await putDomain({ core, caller }, first!, { labels: ['kept'] })).toMatchObject({ created: false });
  });

  it('does not count paused domains, which stay paused when they are changed', async () => {
    const [first, second] = await fill('customDomains');
    await pause([first!, second!]);
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
