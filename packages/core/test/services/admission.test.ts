import { beforeEach, describe, expect, it } from 'vitest';
import { useTestCore } from '@berth/testing/core';
import type { AccountCaller, Core, RateLimits } from '../../src/core.ts';
import { admit, type Admission } from '../../src/services/admission.ts';
import { createToken } from '../../src/services/accounts/tokens.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/services/rate-limits.ts';

const test = await useTestCore();
const UNKNOWN = `Bearer deploy-${'0123456789abcdef'.repeat(2)}`;
let caller: AccountCaller;
let key: string;
beforeEach(async () => {
  ({ caller, key } = await test.account('pro'));
});

const limits = (count: number): RateLimits => ({ ...DEFAULT_RATE_LIMITS, global: { count, perSeconds: 3600 } });
const coreWith = (rateLimits: RateLimits | null): Core => ({ ...test.core, rateLimits });
const arrive = (core: Core, { header = `Bearer ${key}`, address = '192.0.2.1', cost = 1 } = {}) =>
  admit(core, { header, address, cost });
const isAllowed = ({ caller: admitted }: Admission) => admitted !== null;
const bucketOf = (name: string) =>
  test.database.query('select key from rate_bucket where key = $1', [`global:${name}`]);

describe('api §7: requests of one credential that arrive together', () => {
  it('get exactly as many tokens as the bucket has', async () => {
    const core = coreWith(limits(10));
    const admissions = await Promise.all(Array.from({ length: 25 }, () => arrive(core)));
    expect(admissions.filter(isAllowed)).toHaveLength(10);
    for (const { refusal } of admissions.filter((each) => !isAllowed(each)))
      expect(refusal).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('show the tokens that remain after each of them', async () => {
    const core = coreWith(limits(100));
    const admissions = await Promise.all(Array.from({ length: 20 }, () => arrive(core)));
    const remaining = admissions.map(({ rate }) => rate!.remaining);
    expect(remaining).toEqual(Array.from({ length: 20 }, (_, position) => 99 - position));
  });

  it('are admitted by their own cost when the bucket has not enough for all', async () => {
    const core = coreWith(limits(10));
    const costs = [3, 9, 4, 9, 2, 1];
    const admissions = await Promise.all(costs.map((cost) => arrive(core, { cost })));
    expect(admissions.map(isAllowed)).toEqual([true, false, true, false, true, true]);
  });

  it('are refused from the first request on that arrives after the credential was revoked', async () => {
    const core = coreWith(limits(1_000));
    const { token, secret } = await test.core.database.transaction(async (em) =>
      createToken(em, caller.account, { kind: 'deploy', created: test.core.now() }),
    );
    const header = `Bearer ${secret}`;
    const early = Array.from({ length: 10 }, () => arrive(core, { header }));
    await Promise.all(early);
    const pending = Array.from({ length: 10 }, () => arrive(core, { header }));
    await test.database.query('delete from token where account_id = $1 and token = $2', [caller.account, token]);
    const late = await Promise.all(Array.from({ length: 10 }, () => arrive(core, { header })));
    expect(late.filter(isAllowed)).toEqual([]);
    await Promise.all(pending);
  });
});

describe('api §7: who pays for a request', () => {
  it('is the account of a valid credential', async () => {
    await arrive(coreWith(limits(5)));
    expect(await bucketOf(`account:${caller.account}`)).toHaveLength(1);
  });

  it('is the address of a client with an unknown credential', async () => {
    const { refusal, rate } = await arrive(coreWith(limits(5)), { header: UNKNOWN, address: '192.0.2.7' });
    expect(refusal).toMatchObject({ code: 'authentication_failed' });
    expect(rate).toMatchObject({ remaining: 4 });
    expect(await bucketOf('address:192.0.2.7')).toHaveLength(1);
  });

  it('is the address of a client whose account is suspended', async () => {
    await test.database.query(`update account set state = 'suspended' where id = $1`, [caller.account]);
    const { refusal } = await arrive(coreWith(limits(5)), { address: '192.0.2.8' });
    expect(refusal).toMatchObject({ code: 'forbidden' });
    expect(await bucketOf('address:192.0.2.8')).toHaveLength(1);
    expect(await bucketOf(`account:${caller.account}`)).toHaveLength(0);
  });

  it('is not known if the client has left and its credential is unknown', async () => {
    const { caller: admitted, rate } = await arrive(coreWith(limits(5)), { header: UNKNOWN, address: '' });
    expect(admitted).toBeNull();
    expect(rate).toBeNull();
  });

  it('is not recorded if the limits are off', async () => {
    expect(await arrive(coreWith(null))).toMatchObject({ caller: { account: caller.account }, rate: null });
    expect(await bucketOf(`account:${caller.account}`)).toHaveLength(0);
  });
});
