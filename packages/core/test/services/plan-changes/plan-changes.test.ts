import { DEFAULT_PLANS, type Plan } from '@berth/contract';
import { createTestCore, deploySite, refusals, untilLockIsAwaited } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import { refuseRows, warningLog } from '@berth/testing/refused-rows';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { lockAccount } from '../../../src/services/accounts/account-lock.ts';
import { applyDuePlanChanges, changePlan } from '../../../src/services/plan-changes/plan-changes.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';

const [FREE] = DEFAULT_PLANS as [Plan];
const plan = (id: string, customDomains: number | null, more: Partial<Plan> = {}): Plan => ({
  ...FREE,
  plan: id,
  name: id,
  price: { month: 100, year: 1_000 },
  caps: customDomains === null ? null : { deployments: 5, platformDomains: 1, customDomains, seats: 1 },
  ...more,
});
const PLANS = [
  plan('free', 0, { price: { month: 0, year: 0 } }),
  plan('small', 2),
  plan('old', 3, { closed: 'No longer sold.' }),
  plan('large', 4),
  plan('any', null, { price: 'contact' }),
];

let caller: AccountCaller;
let account: string;
const test = await createTestCore({ plans: createPlans(PLANS) });
const { core } = test;
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

afterEach(() => test.database.query('delete from plan_change'));

async function onPlan(name: string): Promise<void> {
  ({ caller } = await test.account(name));
  ({ account } = caller);
}

/** Inserts domains in the order of creation. The first `verified` domains are verified. */
async function addDomains(names: readonly string[], verified = names.length, kind = 'custom'): Promise<void> {
  for (const [i, name] of names.entries())
    await test.database.query(
      `insert into domain (account_id, name, kind, status, labels, created, checks, verified)
       values ($1, $2, $3, $4, '{}', now() + $5 * interval '1 second', '[]', case $4 when 'success' then now() end)`,
      [account, `${name}.${account}.test`, kind, i < verified ? 'success' : 'partial', i],
    );
}
const statuses = async () => {
  const rows = await test.database.query<{ name: string; status: string }>(
    'select name, status from domain where account_id = $1 order by created',
    [account],
  );
  return rows.map(({ name, status }) => `${name.split('.')[0]} ${status}`);
};
const planOf = async () => (await getAccount({ core, caller })).plan;
const readPendingChanges = () =>
  test.database.query('select plan, due from plan_change where account_id = $1', [account]);
const events = async (prefix: string) =>
  (await listActivities({ core, caller }, { limit: 100 })).activities
    .filter(({ event }) => event.startsWith(prefix))
    .map(({ event, domain, authMethod, meta }) => ({ event, domain: domain?.split('.')[0], authMethod, meta }))
    .toReversed();
/** Returns a core at a time when every scheduled plan change is due. */
const coreNextYear = (): Core => ({ ...core, now: () => new Date(Date.now() + 400 * 86_400_000) });

describe('api §6: an upgrade of the plan', () => {
  it.each([
    ['free', 'small'],
    ['small', 'old'],
    ['large', 'any'],
    ['gone', 'small'],
    ['gone', 'free'],
  ])('takes effect at once, such as from %s to %s', async (from, to) => {
    await onPlan(from);
    expect(await changePlan(core, account, to)).toMatchObject({ outcome: 'changed', from, to, due: null });
    expect(await planOf()).toBe(to);
    expect(await readPendingChanges()).toEqual([]);
    expect(await events('account.plan')).toMatchObject([{ authMethod: 'operator', meta: { from, to } }]);
  });

  it('resumes paused domains up to the new cap, oldest first; domains that were verified before serve at once', async () => {
    await onPlan('any');
    await addDomains(['a', 'b', 'c', 'd', 'e'], 3);
    await changePlan(core, account, 'free', { atOnce: true });
    expect(await statuses()).toEqual(['a paused', 'b paused', 'c paused', 'd paused', 'e paused']);
    const { resumed } = await changePlan(core, account, 'large');
    expect(resumed.map((name) => name.split('.')[0])).toEqual(['a', 'b', 'c', 'd']);
    expect(await statuses()).toEqual(['a success', 'b success', 'c success', 'd pending', 'e paused']);
    expect((await events('domain.resume')).map(({ domain }) => domain)).toEqual(['a', 'b', 'c', 'd']);
    expect((await getAccount({ core, caller })).usage.customDomains).toBe(4);
  });

  it('starts the billing periods of an account again if its earlier plan was free', async () => {
    await onPlan('free');
    const pastDate = new Date(Date.now() - 20 * 86_400_000);
    await test.database.query('update account set period_started = $2 where id = $1', [account, pastDate]);
    await changePlan(core, account, 'small');
    await changePlan(core, account, 'large');
    const { due } = await changePlan(core, account, 'free');
    expect(due!.getTime() - Date.now()).toBeGreaterThan(27 * 86_400_000);
  });
});

describe('api §6: a downgrade of the plan', () => {
  beforeEach(() => onPlan('large'));

  it('takes effect at the end of the billing period, and not before', async () => {
    await test.database.query(
      `update account set period = 'year', period_started = '2024-02-29T10:00:00Z' where id = $1`,
      [account],
    );
    await addDomains(['a', 'b', 'c', 'd']);
    const coreAt = (text: string): Core => ({ ...core, now: () => new Date(text) });
    const scheduledOutcome = { outcome: 'scheduled', due: new Date('2027-02-28T10:00:00Z') };
    expect(await changePlan(coreAt('2026-08-01T00:00:00Z'), account, 'small')).toMatchObject(scheduledOutcome);
    const scheduled = { plan: 'small', due: scheduledOutcome.due.getTime() / 1000 };
    expect(await getAccount({ core, caller })).toMatchObject({ plan: 'large', scheduled });
    expect(await applyDuePlanChanges(coreAt('2027-02-28T09:59:59Z'))).toBe(0);
    expect(await planOf()).toBe('large');
    expect(await statuses()).toEqual(['a success', 'b success', 'c success', 'd success']);
    expect(await events('account.plan')).toEqual([]);
    expect(await applyDuePlanChanges(coreAt('2027-02-28T10:00:00Z'))).toBe(1);
    expect(await planOf()).toBe('small');
    expect(await readPendingChanges()).toEqual([]);
    expect(await getAccount({ core, caller })).toMatchObject({ scheduled: null });
    const transition = { authMethod: 'system', meta: { from: 'large', to: 'small' } };
    expect(await events('account.plan')).toMatchObject([transition]);
  });

  it('pauses custom domains beyond the cap, newest first, and deletes no domain', async () => {
    await addDomains(['a', 'b', 'c', 'd'], 1);
    await changePlan(core, account, 'small');
    await applyDuePlanChanges(coreNextYear());
    expect(await statuses()).toEqual(['a success', 'b partial', 'c paused', 'd paused']);
    expect(await events('domain.pause')).toMatchObject([
      { domain: 'd', authMethod: 'system', meta: { plan: 'small' } },
      { domain: 'c', authMethod: 'system', meta: { plan: 'small' } },
    ]);
  });

  it('keeps deployments and platform domains beyond the cap, and allows no further deployment', async () => {
    await onPlan('any');
    for (let i = 0; i < 6; i += 1) await deploySite(core, caller, { 'index.html': 'one' });
    await addDomains(['p', 'q'], 2, 'platform');
    await changePlan(core, account, 'small', { atOnce: true });
    expect((await getAccount({ core, caller })).usage).toMatchObject({ deployments: 6, platformDomains: 2 });
    await expect(deploySite(core, caller, { 'index.html': 'two' })).rejects.toMatchObject({
      code: 'forbidden',
      details: { cap: 'deployments', used: 6, limit: 5 },
    });
  });

  it('is replaced by a request for another plan; a repeated request changes nothing', async () => {
    const firstChange = await changePlan(core, account, 'small');
    expect(await changePlan(core, account, 'small')).toEqual(firstChange);
    await changePlan(core, account, 'free');
    expect(await readPendingChanges()).toMatchObject([{ plan: 'free' }]);
    expect((await events('account.update')).map(({ meta }) => meta['scheduled'])).toEqual(['small', 'free']);
  });

  it('is cancelled by a request for the current plan', async () => {
    await changePlan(core, account, 'free');
    expect(await changePlan(core, account, 'large')).toMatchObject({ outcome: 'cancelled' });
    expect(await changePlan(core, account, 'large')).toMatchObject({ outcome: 'unchanged' });
    expect(await applyDuePlanChanges(coreNextYear())).toBe(0);
    expect(await planOf()).toBe('large');
    expect((await events('account.update')).at(-1)).toMatchObject({ meta: { plan: 'large', cancelled: 'free' } });
  });

  it('is cancelled by an upgrade', async () => {
    await changePlan(core, account, 'free');
    expect(await changePlan(core, account, 'any')).toMatchObject({ outcome: 'changed' });
    expect(await applyDuePlanChanges(coreNextYear())).toBe(0);
    expect(await planOf()).toBe('any');
  });

  it('takes effect at once if the operator requests it', async () => {
    await changePlan(core, account, 'small');
    expect(await changePlan(core, account, 'free', { atOnce: true })).toMatchObject({ outcome: 'changed' });
    expect(await readPendingChanges()).toEqual([]);
    expect(await planOf()).toBe('free');
  });

  it('is not applied if it is postponed while a process waits to apply it', async () => {
    await changePlan(core, account, 'small');
    let applying = Promise.resolve(-1);
    await core.database.transaction(async (em) => {
      await lockAccount(em, account);
      applying = applyDuePlanChanges(coreNextYear());
      await untilLockIsAwaited(test);
      await sql`update plan_change set due = now() + interval '10 years'`.execute(em.getKysely());
    });
    expect(await applying).toBe(0);
    expect(await planOf()).toBe('large');
  });

  it('is applied even if an earlier downgrade fails; the failure is logged, and the failed downgrade is retried', async () => {
    const failingAccount = account;
    await changePlan(core, failingAccount, 'small');
    await onPlan('large');
    await changePlan(core, account, 'small');
    await test.database.query(`update plan_change set due = due - interval '1 day' where account_id = $1`, [
      failingAccount,
    ]);
    const allowRows = await refuseRows(test.database, 'update on account', `old.id = '${failingAccount}'`);
    const { log, warnings } = warningLog();
    expect(await applyDuePlanChanges({ ...coreNextYear(), log })).toBe(1);
    expect(await planOf()).toBe('small');
    expect(warnings).toMatchObject([{ task: 'apply plan changes', account: failingAccount, err: { code: '23514' } }]);
    await allowRows();
    expect(await applyDuePlanChanges(coreNextYear())).toBe(1);
  });

  it('is applied once if six processes apply due downgrades at the same time', async () => {
    await addDomains(['a', 'b', 'c']);
    await changePlan(core, account, 'small');
    const appliedCounts = await Promise.all(Array.from({ length: 6 }, () => applyDuePlanChanges(coreNextYear())));
    expect(appliedCounts.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect(await events('account.plan')).toHaveLength(1);
    expect(await events('domain.pause')).toHaveLength(1);
  });
});

describe('api §6: a plan change', () => {
  it('to a plan of lower rank is a downgrade, whatever the order of the list', async () => {
    const ranked: Core = {
      ...core,
      plans: createPlans([plan('free', 0, { rank: 0 }), plan('top', 2, { rank: 9 }), plan('low', 1, { rank: 1 })]),
    };
    await onPlan('top');
    expect(await changePlan(ranked, account, 'low')).toMatchObject({ outcome: 'scheduled' });
    expect(await changePlan(ranked, account, 'top')).toMatchObject({ outcome: 'cancelled' });
    await changePlan(ranked, account, 'free', { atOnce: true });
    expect(await changePlan(ranked, account, 'low')).toMatchObject({ outcome: 'changed' });
  });

  it('is refused for an unknown plan and for a missing account', async () => {
    await onPlan('free');
    await expect(changePlan(core, account, 'huge')).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('free, small, old, large, any'),
    });
    await expect(changePlan(core, 'acc-missing', 'free')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('T26: during parallel deploys leaves no deployment beyond the new cap', async () => {
    await onPlan('any');
    const deploys = Array.from({ length: 24 }, () => deploySite(core, caller, { 'index.html': 'the same for all' }));
    const [refused] = await Promise.all([refusals(deploys), changePlan(core, account, 'small', { atOnce: true })]);
    const log = (await events('')).map(({ event }) => event);
    const changeIndex = log.indexOf('account.plan.transition');
    const deploysBefore = log.slice(0, changeIndex).filter((event) => event === 'deployment.create').length;
    const deploysAfter = log.slice(changeIndex).filter((event) => event === 'deployment.create').length;
    expect(deploysAfter).toBe(Math.max(0, Math.min(5 - deploysBefore, 24 - deploysBefore)));
    expect(refused).toHaveLength(24 - deploysBefore - deploysAfter);
  });

  it('T26: while domains are created leaves no active domain beyond the new cap', async () => {
    await onPlan('any');
    const puts = Array.from({ length: 16 }, (_, i) => putDomain({ core, caller }, `www.${account}-${i}.com`, {}));
    const [, refused] = await Promise.all([changePlan(core, account, 'small', { atOnce: true }), refusals(puts)]);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'customDomains', used: 2, limit: 2 } });
    expect((await getAccount({ core, caller })).usage.customDomains).toBe(2);
    expect(await events('domain.create')).toHaveLength(16 - refused.length);
    expect(await events('domain.pause')).toHaveLength(16 - refused.length - 2);
  });

  it('T26: leaves no active domain beyond the cap, even if eight plan changes arrive at once', async () => {
    await onPlan('any');
    await addDomains(['a', 'b', 'c', 'd', 'e', 'f']);
    const plans = ['small', 'large', 'free', 'any', 'old', 'small', 'large', 'free'];
    await Promise.all(plans.map((next) => changePlan(core, account, next, { atOnce: true })));
    const { plan: now, caps, usage } = await getAccount({ core, caller });
    expect(usage.customDomains, `on ${now}`).toBe(Math.min(6, caps?.customDomains ?? Infinity));
    const activeDomains = (await statuses()).filter((status) => !status.endsWith('paused'));
    expect(activeDomains.map((status) => status[0])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, activeDomains.length),
    );
  });
});
