import type { Plan } from '@berth/contract';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { deleteDeployment, listDeployments } from '../../../src/services/deployments/deployments.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';

const CAP = 5;
const PLAN: Plan = {
  plan: 'free',
  name: 'Five',
  price: { month: 0, year: 0 },
  caps: { deployments: CAP, platformDomains: 0, customDomains: 0, seats: 1 },
  limits: { maxFileSize: 1_000, maxFilesCount: 10, maxTotalSize: 1_000 },
};
const SITE = { 'index.html': 'the same for all' };

let caller: AccountCaller;
const test = await createTestCore({ plans: createPlans([PLAN, { ...PLAN, plan: 'open', caps: null }]) });
afterAll(async () => {
  await expectSound(test);
  await test.close();
});
beforeEach(async () => {
  ({ caller } = await test.account());
});

const refusal = { code: 'forbidden', status: 403, details: { cap: 'deployments', used: CAP, limit: CAP } };
const used = async () => (await getAccount({ core: test.core, caller })).usage.deployments;

describe('api §6: the cap on deployments', () => {
  it('T26: allows exactly as many as the cap, of 100 at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => deploySite(test.core, caller, SITE)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(100 - CAP);
    for (const error of refused) expect(error).toMatchObject(refusal);
    expect(await used()).toBe(CAP);
    expect((await listDeployments({ core: test.core, caller }, { limit: 100 })).deployments).toHaveLength(CAP);
  });

  it('T26: holds at every moment while deletes make room', async () => {
    let deployed = 0;
    const deployer = async () => {
      for (let i = 0; i < 6; i += 1) {
        try {
          const { body } = await deploySite(test.core, caller, SITE);
          deployed += 1;
          await Promise.all([1, 2].map(() => deleteDeployment({ core: test.core, caller }, body.deployment)));
        } catch (error) {
          expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'deployments', limit: CAP } });
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, deployer));
    expect(deployed).toBeGreaterThan(CAP);
    // Both are written under the account's lock, so the log has the order in which they happened.
    const log = await test.database.query<{ event: string }>(
      `select event from activity where account_id = $1 and event like 'deployment.%' order by id`,
      [caller.account],
    );
    let live = 0;
    for (const { event } of log) {
      live += event === 'deployment.create' ? 1 : -1;
      expect(live).toBeLessThanOrEqual(CAP);
      expect(live).toBeGreaterThanOrEqual(0);
    }
    expect(log).toHaveLength(deployed * 2);
    expect(await used()).toBe(0);
  });

  it('refuses a full account before a byte is read, but a deploy with a key only at its end', async () => {
    for (let i = 0; i < CAP; i += 1) await deploySite(test.core, caller, SITE);
    await expect(beginDeploy({ core: test.core, caller }, null)).rejects.toMatchObject(refusal);
    await expect(deploySite(test.core, caller, SITE, { key: 'k' })).rejects.toMatchObject(refusal);
    expect(test.core.activePacks.size).toBe(0);
  });

  it('does not count deployments that are being deleted', async () => {
    const { body } = await deploySite(test.core, caller, SITE);
    for (let i = 1; i < CAP; i += 1) await deploySite(test.core, caller, SITE);
    await deleteDeployment({ core: test.core, caller }, body.deployment);
    await deleteDeployment({ core: test.core, caller }, body.deployment);
    expect(await used()).toBe(CAP - 1);
    await deploySite(test.core, caller, SITE);
    await expect(deploySite(test.core, caller, SITE)).rejects.toMatchObject(refusal);
  });

  it('follows a plan change at once', async () => {
    for (let i = 0; i < CAP; i += 1) await deploySite(test.core, caller, SITE);
    await test.database.query(`update account set plan = 'open' where id = $1`, [caller.account]);
    await deploySite(test.core, caller, SITE);
    await test.database.query(`update account set plan = 'no longer sold' where id = $1`, [caller.account]);
    await expect(deploySite(test.core, caller, SITE)).rejects.toMatchObject({
      ...refusal,
      details: { cap: 'deployments', used: CAP + 1, limit: CAP },
    });
  });

  it('does not apply to anonymous deploys', async () => {
    for (let i = 0; i <= CAP; i += 1) await deploySite(test.core, ANONYMOUS, SITE);
  });

  it.each([['suspended'], ['terminated']])(
    'refuses a deploy with 403 and counts nothing if the account is %s during the deploy',
    async (state) => {
      const before = await used();
      await test.database.query('update account set state = $2 where id = $1', [caller.account, state]);
      await expect(deploySite(test.core, caller, SITE)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
      expect(await used()).toBe(before);
    },
  );
});
