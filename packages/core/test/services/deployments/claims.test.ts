import { DEFAULT_PLANS, Deployment } from '@berth/contract';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANONYMOUS, createTestCore, deploySite, whileLocked, refusal, untilLockIsAwaited } from '@berth/testing/core';
import { expectSound, stateOf, sweepAll } from '@berth/testing/invariants';
import type { AccountCaller, Core } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { claimDeployment, readClaim } from '../../../src/services/deployments/claims.ts';
import { lockAccount } from '../../../src/services/accounts/account-lock.ts';
import { deleteDeployment, getDeployment, listDeployments } from '../../../src/services/deployments/deployments.ts';
import { createPlans } from '../../../src/services/accounts/plans.ts';
import { DEFAULT_RATE_LIMITS } from '../../../src/services/rate-limits.ts';

const THREE_DAYS = 3 * 86_400;
const HASH = '0123456789abcdef0123456789abcdef';

let caller: AccountCaller;
const test = await createTestCore({
  plans: createPlans([
    ...DEFAULT_PLANS,
    { ...DEFAULT_PLANS[0]!, plan: 'one', caps: { ...DEFAULT_PLANS[0]!.caps!, deployments: 1 } },
  ]),
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ caller } = await test.account());
});
afterEach(() => expectSound(test));

const scope = (owner: AccountCaller = caller, core: Core = test.core) => ({ core, caller: owner });
const publish = async () => {
  const { body } = await deploySite(test.core, ANONYMOUS, { 'index.html': 'hello' });
  return { deployment: body.deployment, claim: body.claim!, hash: body.claim!.split('/').at(-1)! };
};
const usedDeployments = async (owner: AccountCaller) => (await getAccount(scope(owner))).usage.deployments;

describe('api §6: a claim', () => {
  it('moves an anonymous deployment to the account, and makes it permanent', async () => {
    const { deployment, hash } = await publish();
    const claimedDeployment = await claimDeployment(scope(), hash);
    expect(Deployment.strict().parse(claimedDeployment)).toEqual(claimedDeployment);
    expect(claimedDeployment).toMatchObject({ deployment, status: 'success', files: 1 });
    for (const field of ['expires', 'claim']) expect(claimedDeployment).not.toHaveProperty(field);
    expect((await listDeployments(scope(), { limit: 9 })).deployments).toEqual([claimedDeployment]);
    expect(await usedDeployments(caller)).toBe(1);
    const meta = { files: 1, size: 5, via: 'api' };
    expect((await listActivities(scope(), { limit: 1 })).activities).toEqual([
      { event: 'deployment.claim', created: expect.any(Number), deployment, authMethod: 'api-key', meta },
    ]);
    test.advance(THREE_DAYS + 1);
    await sweepAll(test);
    expect(await getDeployment(scope(), deployment)).toEqual(claimedDeployment);
  });

  it('succeeds again if the same account repeats it, and then changes nothing', async () => {
    const { hash, claim } = await publish();
    const firstClaim = await claimDeployment(scope(), hash);
    const stateBefore = await stateOf(test);
    for (const text of [hash, claim]) expect(await claimDeployment(scope(), text)).toEqual(firstClaim);
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it('counts one deployment if an account sends it 12 times at once', async () => {
    const { hash } = await publish();
    const responses = await Promise.all(Array.from({ length: 12 }, () => claimDeployment(scope(), hash)));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(await usedDeployments(caller)).toBe(1);
  });

  it('T24: succeeds for exactly one of 50 accounts that send it at once; the other 49 get 404', async () => {
    const { deployment, hash } = await publish();
    const callers = await Promise.all(Array.from({ length: 50 }, async () => (await test.account()).caller));
    const stateBefore = await stateOf(test);
    const outcomes = await Promise.allSettled(callers.map((owner) => claimDeployment(scope(owner), hash)));
    const winners = callers.filter((_, at) => outcomes[at]!.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found', status: 404 });
    expect(await getDeployment(scope(winners[0]), deployment)).toMatchObject({ deployment });
    expect(await stateOf(test)).toEqual({
      ...stateBefore,
      activity: stateBefore.activity + 1,
      counters: stateBefore.counters + 1,
    });
  });

  it('L4: of a locked account waits without locking the deployment, so that another account can claim the deployment', async () => {
    const { hash, deployment } = await publish();
    const { caller: other } = await test.account();
    await whileLocked(
      test.core,
      (em) => lockAccount(em, caller.account),
      async (release) => {
        const refusedClaim = refusal(claimDeployment(scope(), hash));
        await untilLockIsAwaited(test);
        const unlockedRows = 'select 1 from deployment where id = $1 for update skip locked';
        expect(await test.database.query(unlockedRows, [deployment])).toHaveLength(1);
        expect(await claimDeployment(scope(other), hash)).toMatchObject({ status: 'success' });
        await release();
        expect(await refusedClaim).toMatchObject({ status: 404 });
      },
    );
  });

  it('succeeds for only one of two deployments if the plan allows one more deployment; the other claim gets 403', async () => {
    const { caller: owner } = await test.account('one');
    const sites = [await publish(), await publish()];
    const error = await refusal(Promise.all(sites.map(({ hash }) => claimDeployment(scope(owner), hash))));
    expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'deployments', used: 1, limit: 1 } });
    expect(await usedDeployments(owner)).toBe(1);
    // Another account can claim the remaining deployment.
    for (const { hash } of sites) await claimDeployment(scope(), hash).catch(() => {});
    expect(await usedDeployments(caller)).toBe(1);
  });
});

describe('api §6: a claim', () => {
  it.each<[string, (site: Awaited<ReturnType<typeof publish>>) => Promise<unknown>]>([
    ['it was claimed before', async ({ hash }) => claimDeployment(scope((await test.account()).caller), hash)],
    ['the deployment expires in this second', async () => test.advance(THREE_DAYS)],
    [
      'the sweep has deleted the expired deployment',
      async () => {
        test.advance(THREE_DAYS);
        await sweepAll(test);
      },
    ],
    [
      'another account has claimed and deleted the deployment',
      async ({ hash, deployment }) => {
        const { caller: winner } = await test.account();
        await claimDeployment(scope(winner), hash);
        await deleteDeployment(scope(winner), deployment);
      },
    ],
  ])('gets the same 404 as an unknown claim if %s', async (_, prepare) => {
    const site = await publish();
    await prepare(site);
    const stateBefore = await stateOf(test);
    const error = await refusal(claimDeployment(scope(), site.hash));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no such claim.', details: undefined });
    expect(error).toEqual(await refusal(claimDeployment(scope(), HASH)));
    expect(await stateOf(test)).toEqual(stateBefore);
  });

  it.each(['suspended', 'terminated'])('gets 403 if the account is %s during the request', async (state) => {
    const { hash } = await publish();
    await test.database.query('update account set state = $2 where id = $1', [caller.account, state]);
    await expect(claimDeployment(scope(), hash)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('T24: either succeeds or gets 404 if the deployment expires at the same time; no claimed deployment is deleted', async () => {
    const { caller: owner } = await test.account('pro');
    const sites = await Promise.all(Array.from({ length: 10 }, publish));
    const laterCore: Core = { ...test.core, now: () => new Date(test.core.now().getTime() + THREE_DAYS * 1000) };
    const [outcomes] = await Promise.all([
      Promise.allSettled(sites.map(({ hash }) => claimDeployment(scope(owner), hash))),
      sweepAll({ ...test, core: laterCore }),
    ]);
    const successCount = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(await usedDeployments(owner)).toBe(successCount);
    expect((await listDeployments(scope(owner), { limit: 100 })).deployments).toHaveLength(successCount);
    const rows = await test.database.query<{ status: string; owned: boolean; kept: boolean }>(
      'select status, account_id is not null as owned, expires is null as kept from deployment where id = any($1)',
      [sites.map(({ deployment }) => deployment)],
    );
    for (const row of rows) expect([row.owned, row.owned]).toEqual([row.status === 'success', row.kept]);
  });

  it('api §7: gets 429 if it is the 31st valid claim of the account within an hour', async () => {
    const core: Core = { ...test.core, rateLimits: DEFAULT_RATE_LIMITS };
    for (let i = 0; i < 40; i += 1)
      await expect(claimDeployment(scope(caller, core), 'nonsense')).rejects.toMatchObject({ status: 400 });
    for (let i = 0; i < 30; i += 1)
      await expect(claimDeployment(scope(caller, core), HASH)).rejects.toMatchObject({ status: 404 });
    const { hash } = await publish();
    await expect(claimDeployment(scope(caller, core), hash)).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 120),
    });
    const { caller: other } = await test.account();
    expect(await claimDeployment(scope(other, core), hash)).toMatchObject({ status: 'success' });
  });
});

describe('api §1: the text of a claim', () => {
  const page = { claim: (hash: string) => `https://Api.test:443/claim/${hash}` };
  it.each([
    HASH,
    ` ${HASH}\n`,
    `https://api.test/claim/${HASH}`,
    `  https://api.test/claim/${HASH}/ `,
    `HTTPS://API.TEST/claim/${HASH}`,
    `https://api.test:443/claim/${HASH}?utm_source=mail#top`,
  ])('can be %j, which contains the claim hash', (text) => {
    expect(readClaim(page, text)).toBe(HASH);
  });

  const origins = ['http://api.test', 'https://api.test:8443', 'https://evil.test', 'https://api.test.evil.test'];
  const paths = ['Claim/', '', 'claim/x/', 'claim/?'];
  const noHashes = ['', ' ', HASH.slice(1), `${HASH}0`, HASH.toUpperCase(), `g${HASH.slice(1)}`, `${HASH} ${HASH}`];
  it.each([
    ...noHashes,
    ...[...origins, 'https://jo@api.test', 'https://jo:x@api.test', '', 'api.test'].map((at) => `${at}/claim/${HASH}`),
    ...paths.map((path) => `https://api.test/${path}${HASH}`),
    ...['/x', '//'].map((end) => `https://api.test/claim/${HASH}${end}`),
    `javascript:${HASH}`,
    `\0${HASH}`,
  ])('cannot be %j, which gets 400', (text) => {
    expect(() => readClaim(page, text)).toThrow(expect.objectContaining({ code: 'validation_failed', status: 400 }));
  });
});
