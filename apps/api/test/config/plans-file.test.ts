import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_PLANS, UNLIMITED_PLAN } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from './faults.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function plansFile(content: unknown): string {
  const file = join(folder, `plans-${Math.random()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('PLANS_FILE', () => {
  const [free, pro] = DEFAULT_PLANS as [(typeof DEFAULT_PLANS)[0], (typeof DEFAULT_PLANS)[0]];

  it('replaces the plans, and without a plan "scale" the owner gets the last plan', () => {
    const config = readConfig({ PLANS_FILE: plansFile({ plans: [free, pro] }), DEFAULT_PLAN: 'pro' });
    expect(config.plans).toEqual([free, pro]);
    expect(config).toMatchObject({ ownerPlan: pro, defaultPlan: pro });
  });

  it('is "none" for a server without plans, whose accounts have no caps', () => {
    expect(readConfig({ PLANS_FILE: 'none' })).toMatchObject({
      plans: [],
      ownerPlan: UNLIMITED_PLAN,
      defaultPlan: UNLIMITED_PLAN,
    });
    expect(faultsOf({ PLANS_FILE: 'none', DEFAULT_PLAN: 'free' })).toEqual([
      'DEFAULT_PLAN: the variable must not be set, because PLANS_FILE=none has no plans.',
    ]);
  });

  it('reports the place of every fault in the file', () => {
    const invalidPlans = {
      plans: [free, { ...pro, caps: { ...pro.caps, seats: '1' }, limits: { ...pro.limits, maxFileSize: -5 } }],
    };
    const faults = faultsOf({ PLANS_FILE: plansFile(invalidPlans), DEFAULT_PLAN: 'gold' });
    expect(faults).toEqual([
      expect.stringMatching(/^PLANS_FILE: .*\.json: plans\[1\]\.caps\.seats: /),
      expect.stringMatching(/^PLANS_FILE: .*\.json: plans\[1\]\.limits\.maxFileSize: /),
    ]);
  });

  it.each([
    ['no plan for anonymous deploys', { plans: [pro] }, /plans must have a plan "free"/],
    ['the same plan twice', { plans: [free, free] }, /each plan id must occur only once/],
    ['no plans', [], /the file: /],
    ['something that is not JSON', '{\n"plans":\n', /must be JSON: /],
  ])('is rejected if the file contains %s', (_, content, message) => {
    expect(faultsOf({ PLANS_FILE: plansFile(content) })).toEqual([expect.stringMatching(message)]);
  });
});
