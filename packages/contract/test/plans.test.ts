import { describe, expect, it } from 'vitest';
import { ANONYMOUS_PLAN, DEFAULT_PLANS, PlansFile } from '../src/plans.ts';

const plan = {
  plan: 'free',
  name: 'Free',
  price: { month: 0, year: 0 },
  caps: { deployments: 1, platformDomains: 0, customDomains: 0, seats: 1 },
  limits: { maxFileSize: 1, maxFilesCount: 1, maxTotalSize: 1 },
};

describe('api §6: the plan table', () => {
  it('is a valid plan file and contains the plan of anonymous deploys', () => {
    expect(PlansFile.parse({ plans: DEFAULT_PLANS })).toEqual({ plans: DEFAULT_PLANS });
    expect(DEFAULT_PLANS.map((row) => row.plan)).toContain(ANONYMOUS_PLAN);
  });

  it('never grants less on a more expensive plan', () => {
    const planNumbers = DEFAULT_PLANS.map(({ caps, limits }) => [
      ...Object.values(caps ?? {}),
      ...Object.values(limits),
    ]);
    for (const [i, row] of planNumbers.slice(1).entries())
      if (row.length === planNumbers[i]!.length)
        for (const [j, value] of row.entries()) expect(value).toBeGreaterThanOrEqual(planNumbers[i]![j]!);
  });

  it('has the prices, caps and limits of the contract', () => {
    const MiB = 1024 ** 2;
    expect(
      DEFAULT_PLANS.map((row) => [
        row.plan,
        row.price,
        row.caps?.deployments ?? null,
        row.limits.maxFileSize / MiB,
        row.limits.maxFilesCount,
        row.limits.maxTotalSize / MiB,
      ]),
    ).toEqual([
      ['free', { month: 0, year: 0 }, 100, 20, 1_000, 100],
      ['pro', { month: 900, year: 9_000 }, 1_000, 100, 10_000, 1_024],
      ['team', { month: 2_900, year: 29_000 }, 10_000, 250, 20_000, 5_120],
      ['scale', 'contact', null, 1_024, 100_000, 20_480],
    ]);
  });
});

describe('api §6: the schema of the plan file', () => {
  it.each([
    ['a plan arranged directly', { ...plan, price: 'contact', caps: null }],
    ['a plan that cannot be ordered yet', { ...plan, closed: 'Soon.' }],
    ['a plan with a rank', { ...plan, rank: 3 }],
  ])('accepts a file with %s', (_, row) => {
    expect(PlansFile.parse({ plans: [row] })).toEqual({ plans: [row] });
  });

  it.each([
    ['no list', { plans: {} }],
    ['no plan', { plans: [] }],
    ['one id twice', { plans: [plan, { ...plan, name: 'Again' }] }],
    ['an id in upper case', { plans: [{ ...plan, plan: 'Free' }] }],
    ['an id with a space', { plans: [{ ...plan, plan: 'f ree' }] }],
    ['an empty name', { plans: [{ ...plan, name: '' }] }],
    ['a price in fractions of a cent', { plans: [{ ...plan, price: { month: 0.5, year: 0 } }] }],
    ['a negative price', { plans: [{ ...plan, price: { month: -1, year: 0 } }] }],
    ['another word for the price', { plans: [{ ...plan, price: 'free' }] }],
    ['a negative cap', { plans: [{ ...plan, caps: { ...plan.caps, deployments: -1 } }] }],
    ['a missing cap', { plans: [{ ...plan, caps: { deployments: 1 } }] }],
    ['a limit of zero', { plans: [{ ...plan, limits: { ...plan.limits, maxFileSize: 0 } }] }],
    ['a limit as a text', { plans: [{ ...plan, limits: { ...plan.limits, maxTotalSize: '1 GiB' } }] }],
    ['an infinite limit', { plans: [{ ...plan, limits: { ...plan.limits, maxTotalSize: Number.POSITIVE_INFINITY } }] }],
    ['a missing limit', { plans: [{ ...plan, limits: { maxFileSize: 1 } }] }],
  ])('refuses a file with %s', (_, file) => {
    expect(PlansFile.safeParse(file).success).toBe(false);
  });
});
