import type { Plan } from '@berth/contract';
import { createTestCore, type TestCore } from '@berth/testing/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { deleteDomain, listDomains } from '../../../src/services/domains/domains.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { putDomain } from '../../../src/services/domains/put-domain.ts';

const CAPS = { deployments: 1, platformDomains: 4, customDomains: 3, seats: 1 };
const PLAN: Plan = {
  plan: 'free',
  name: 'A few',
  price: { month: 0, year: 0 },
  caps: CAPS,
  limits: { maxFileSize: 1_000, maxFilesCount: 10, maxTotalSize: 1_000 },
};

let test: TestCore;
beforeAll(async () => {
  test = await createTestCore({
    plans: createPlans([
      PLAN,
      { ...PLAN, plan: 'none', caps: { ...CAPS, customDomains: 0 } },
      { ...PLAN, plan: 'open', caps: null },
    ]),
  });
});
afterAll(() => test.close());

let serial = 0;
/** Unused names, one generator per kind. */
const NAMES = {
  platformDomains: () => `site-${(serial += 1)}.sites.test`,
  customDomains: () => `www.shop-${(serial += 1)}.dev`,
};
const KINDS = ['platformDomains', 'customDomains'] as const;

const scopeOf = (caller: AccountCaller) => ({ core: test.core, caller });
const usageOf = async (caller: AccountCaller) => (await getAccount(scopeOf(caller))).usage;

describe.each(KINDS)('api §6: the cap on %s', (kind) => {
  const limit = CAPS[kind];
  const refusal = { code: 'forbidden', status: 403, details: { cap: kind, used: limit, limit } };

  it('T26: allows exactly as many as the cap, of 20 at once', async () => {
    const { caller } = await test.account();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => putDomain(scopeOf(caller), NAMES[kind](), {})),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(20 - limit);
    for (const error of refused) expect(error).toMatchObject(refusal);
    expect(await usageOf(caller)).toEqual({
      deployments: 0,
      platformDomains: 0,
      customDomains: 0,
      seats: 1,
      storage: 0,
      [kind]: limit,
    });
    expect((await listDomains(scopeOf(caller), { limit: 100 })).domains).toHaveLength(limit);
  });

  it('T26: holds while deletes make room', async () => {
    const { caller } = await test.account();
    const worker = async () => {
      for (let turn = 0; turn < 4; turn += 1) {
        const name = NAMES[kind]();
        try {
          await putDomain(scopeOf(caller), name, {});
        } catch (error) {
          expect(error).toMatchObject({ ...refusal, details: { cap: kind, limit } });
          continue;
        }
        expect((await usageOf(caller))[kind]).toBeLessThanOrEqual(limit);
        await deleteDomain(scopeOf(caller), name);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect((await usageOf(caller))[kind]).toBe(0);
  });

  it('does not prevent changes, nor domains of the other kind', async () => {
    const { caller } = await test.account();
    const names = Array.from({ length: limit }, NAMES[kind]);
    for (const name of names) await putDomain(scopeOf(caller), name, {});
    await expect(putDomain(scopeOf(caller), NAMES[kind](), {})).rejects.toMatchObject(refusal);
    expect(await putDomain(scopeOf(caller), names[0]!, { labels: ['kept'] })).toMatchObject({ created: false });
    const other = KINDS.find((each) => each !== kind)!;
    expect(await putDomain(scopeOf(caller), NAMES[other](), {})).toMatchObject({ created: true });
  });

  it('does not exist on a plan that is arranged directly', async () => {
    const { caller } = await test.account('open');
    for (let i = 0; i <= limit; i += 1) await putDomain(scopeOf(caller), NAMES[kind](), {});
    expect((await usageOf(caller))[kind]).toBe(limit + 1);
  });

  it('follows the current plan of the account, not the one that was read with the credential', async () => {
    const { caller } = await test.account('open');
    await test.database.query(`update account set plan = 'none' where id = $1`, [caller.account]);
    const names = Array.from({ length: 5 }, NAMES[kind]);
    const outcomes = await Promise.allSettled(names.map((name) => putDomain(scopeOf(caller), name, {})));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(kind === 'customDomains' ? 0 : 4);
  });
});

describe('api §6: paused custom domains', () => {
  it('count neither as usage nor against the cap', async () => {
    const { caller } = await test.account();
    const names = Array.from({ length: 3 }, NAMES.customDomains);
    for (const name of names) await putDomain(scopeOf(caller), name, {});
    await test.database.query(`update domain set status = 'paused' where name = any($1)`, [names.slice(0, 2)]);
    expect(await usageOf(caller)).toMatchObject({ customDomains: 1 });
    for (let i = 0; i < 2; i += 1) await putDomain(scopeOf(caller), NAMES.customDomains(), {});
    await expect(putDomain(scopeOf(caller), NAMES.customDomains(), {})).rejects.toMatchObject({
      details: { cap: 'customDomains', used: 3, limit: 3 },
    });
  });

  it('stay paused when they are linked or labelled', async () => {
    const { caller } = await test.account();
    const name = NAMES.customDomains();
    await putDomain(scopeOf(caller), name, {});
    await test.database.query(`update domain set status = 'paused' where name = $1`, [name]);
    const { domain } = await putDomain(scopeOf(caller), name, { labels: ['later'] });
    expect(domain).toMatchObject({ status: 'paused', labels: ['later'] });
  });
});

it('api §6: an account that is suspended during the request gets no domain', async () => {
  const { caller } = await test.account();
  await test.database.query(`update account set state = 'suspended' where id = $1`, [caller.account]);
  await expect(putDomain(scopeOf(caller), NAMES.platformDomains(), {})).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('suspended'),
  });
});
