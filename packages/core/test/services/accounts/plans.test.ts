import { ANONYMOUS_PLAN, DEFAULT_PLANS, type Plan } from '@berth/contract';
import { ANONYMOUS } from '@berth/testing/core';
import { describe, expect, it } from 'vitest';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { createPlans, limitsOf, listPlans } from '../../../src/services/accounts/plans.ts';

const core = { plans: createPlans(DEFAULT_PLANS) } as Core;
const limits = (plan: string) => DEFAULT_PLANS.find((row) => row.plan === plan)!.limits;

describe('api §6: the limits of a deploy', () => {
  it('are the limits of the account’s plan, or of Free for an anonymous caller or an unknown plan', () => {
    const account = (plan: string) => ({ kind: 'account', plan }) as AccountCaller;
    expect(limitsOf({ core, caller: account('team') })).toEqual(limits('team'));
    for (const caller of [ANONYMOUS, account('gone'), account('__proto__')])
      expect(limitsOf({ core, caller })).toEqual(limits(ANONYMOUS_PLAN));
  });
});

describe('api §6: the listed plans', () => {
  it('keep the order of the configuration, and do not show limits and ranks', () => {
    const rows: Plan[] = [{ ...DEFAULT_PLANS[1]!, closed: 'Not yet.', rank: 9 }, DEFAULT_PLANS[0]!];
    const { plans } = listPlans({ ...core, plans: createPlans(rows) });
    expect(plans).toEqual([
      { plan: 'pro', name: 'Pro', price: { month: 900, year: 9_000 }, caps: rows[0]!.caps, closed: 'Not yet.' },
      { plan: 'free', name: 'Free', price: { month: 0, year: 0 }, caps: rows[1]!.caps },
    ]);
  });

  it('must include the plan of anonymous deploys', () => {
    expect(() => createPlans([DEFAULT_PLANS[1]!])).toThrow('no plan "free"');
  });
});
