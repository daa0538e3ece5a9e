import { ANONYMOUS_PLAN, BLOCKED_EXTENSIONS, DEFAULT_PLANS, Limits, type Plan, PlanList } from '@berth/contract';
import { ANONYMOUS, createTestCore, type TestCore } from '@berth/testing/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlans, getLimits, limitsOf, listPlans } from '../../../src/services/accounts/plans.ts';

let test: TestCore;
beforeAll(async () => {
  test = await createTestCore();
});
afterAll(() => test.close());

const limits = (plan: string) => DEFAULT_PLANS.find((row) => row.plan === plan)!.limits;

describe('api §6: limits', () => {
  it('are those of the account’s plan, and those of Free without an account', async () => {
    const { caller } = await test.account('team');
    expect(limitsOf(test.core, caller)).toEqual(limits('team'));
    expect(limitsOf(test.core, ANONYMOUS)).toEqual(limits(ANONYMOUS_PLAN));
    expect(limitsOf(test.core, { ...caller, plan: 'gone' })).toEqual(limits(ANONYMOUS_PLAN));
    expect(limitsOf(test.core, { ...caller, plan: '__proto__' })).toEqual(limits(ANONYMOUS_PLAN));
  });

  it('are returned with the blocked extensions', async () => {
    const { caller } = await test.account('pro');
    const limitsOfCaller = getLimits({ core: test.core, caller });
    expect(Limits.parse(limitsOfCaller)).toEqual({ ...limits('pro'), blockedExtensions: [...BLOCKED_EXTENSIONS] });
  });
});

describe('api §6: the listed plans', () => {
  it('are in display order, without hidden ones', () => {
    const rows: Plan[] = [{ ...DEFAULT_PLANS[1]!, closed: 'Not yet.', rank: 9 }, DEFAULT_PLANS[0]!];
    const { plans } = listPlans({ ...test.core, plans: createPlans(rows) });
    expect(PlanList.parse({ plans })).toEqual({ plans });
    expect(plans).toEqual([
      { plan: 'pro', name: 'Pro', price: { month: 900, year: 9_000 }, caps: rows[0]!.caps, closed: 'Not yet.' },
      { plan: 'free', name: 'Free', price: { month: 0, year: 0 }, caps: rows[1]!.caps },
    ]);
  });

  it('include the plan of anonymous deploys', () => {
    expect(() => createPlans([DEFAULT_PLANS[1]!])).toThrow('no plan "free"');
  });
});
