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

const scope = (own: AccountCaller = caller, core: Core = test.core) => ({ core, caller: own });
const publish = async () => {
  const { body } = await deploySite(test.core, ANONYMOUS, { 'index.html': 'hello' });
  return { deployment: body.deployment, claim: body.claim!, hash: body.claim!.split('/').at(-1)! };
};
const used = async (own: AccountCaller) => (await getAccount(scope(own))).usage.deployments;

describe('api §6: a claim', () => {
  it('makes the deployment the account’s, and permanent', async () => {
    const { deployment, hash } = await publish();
    const claimed = await claimDeployment(scope(), hash);
    expect(Deployment.strict().parse(claimed)).toEqual(claimed);
    expect(claimed).toMatchObject({ deployment, status: 'success', files: 1 });
    for (const field of ['expires', 'claim']) expect(claimed).not.toHaveProperty(field);
    expect((await listDeployments(scope(), { limit: 9 })).deployments).toEqual([claimed]);
    expect(await used(caller)).toBe(1);
    const meta = { files: 1, size: 5, via: 'api' };
    expect((await listActivities(scope(), { limit: 1 })).activities).toEqual([
      { event: 'deployment.claim', created: expect.any(Number), deployment, authMethod: 'api-key', meta },
    ]);
    test.advance(THREE_DAYS + 1);
    await sweepAll(test);
    expect(await getDeployment(scope(), deployment)).toEqual(claimed);
  });

  it('api §6: by the winner again is 200 again and changes nothing', async () => {
    const { hash, claim } = await publish();
    const first = await claimDeployment(scope(), hash);
    const before = await stateOf(test);
    for (const text of [hash, claim]) expect(await claimDeployment(scope(), text)).toEqual(first);
    expect(await stateOf(test)).toEqual(before);
  });

  it('by one account many times at once counts once', async () => {
    const { hash } = await publish();
    const answers = await Promise.all(Array.from({ length: 12 }, () => claimDeployment(scope(), hash)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await used(caller)).toBe(1);
  });

  it('T24: by 50 accounts at once succeeds for exactly one: one 200, 49 times 404', async () => {
    const { deployment, hash } = await publish();
    const callers = await Promise.all(Array.from({ length: 50 }, async () => (await test.account()).caller));
    const before = await stateOf(test);
    const outcomes = await Promise.allSettled(callers.map((own) => claimDeployment(scope(own), hash)));
    const winners = callers.filter((_, at) => outcomes[at]!.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found', status: 404 });
    expect(await getDeployment(scope(winners[0]), deployment)).toMatchObject({ deployment });
    expect(await stateOf(test)).toEqual({ ...before, activity: before.activity + 1, counters: before.counters + 1 });
  });

  it('L4: by a busy account blocks no others: its row is locked before the deployment’s', async () => {
    const { hash, deployment } = await publish();
    const { caller: other } = await test.account();
    await whileLocked(
      test.core,
      (em) => lockAccount(em, caller.account),
      async (release) => {
        const late = refusal(claimDeployment(scope(), hash));
        await untilLockIsAwaited(test);
        const unlocked = 'select 1 from deployment where id = $1 for update skip locked';
        expect(await test.database.query(unlocked, [deployment])).toHaveLength(1);
        expect(await claimDeployment(scope(other), hash)).toMatchObject({ status: 'success' });
        await release();
        expect(await late).toMatchObject({ status: 404 });
      },
    );
  });

  it('succeeds for only one of two deployments if the cap of the account has room for one; the other is 403', async () => {
    const { caller: own } = await test.account('one');
    const sites = [await publish(), await publish()];
    const error = await refusal(Promise.all(sites.map(({ hash }) => claimDeployment(scope(own), hash))));
    expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'deployments', used: 1, limit: 1 } });
    expect(await used(own)).toBe(1);
    // The other one can still be claimed.
    for (const { hash } of sites) await claimDeployment(scope(), hash).catch(() => {});
    expect(await used(caller)).toBe(1);
  });
});

describe('api §6: a claim is refused', () => {
  it.each<[string, (site: Awaited<ReturnType<typeof publish>>) => Promise<unknown>]>([
    ['that another account used', async ({ hash }) => claimDeployment(scope((await test.account()).caller), hash)],
    ['that expired, from that very second on', async () => test.advance(THREE_DAYS)],
    [
      'of a deployment that the sweep has ended',
      async () => {
        test.advance(THREE_DAYS);
        await sweepAll(test);
      },
    ],
    [
      'that the winner deleted, for everybody else',
      async ({ hash, deployment }) => {
        const { caller: winner } = await test.account();
        await claimDeployment(scope(winner), hash);
        await deleteDeployment(scope(winner), deployment);
      },
    ],
  ])('%s: 404, with the same body as an unknown one', async (_, prepare) => {
    const site = await publish();
    await prepare(site);
    const before = await stateOf(test);
    const error = await refusal(claimDeployment(scope(), site.hash));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no such claim.', details: undefined });
    expect(error).toEqual(await refusal(claimDeployment(scope(), HASH)));
    expect(await stateOf(test)).toEqual(before);
  });

  it.each(['suspended', 'terminated'])('is 403 if the account is %s during the claim', async (state) => {
    const { hash } = await publish();
    await test.database.query('update account set state = $2 where id = $1', [caller.account, state]);
    await expect(claimDeployment(scope(), hash)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('T24: concurrently with the expiry: every deployment is either kept or ended, never both', async () => {
    const { caller: own } = await test.account('pro');
    const sites = await Promise.all(Array.from({ length: 10 }, publish));
    const later: Core = { ...test.core, now: () => new Date(test.core.now().getTime() + THREE_DAYS * 1000) };
    const [outcomes] = await Promise.all([
      Promise.allSettled(sites.map(({ hash }) => claimDeployment(scope(own), hash))),
      sweepAll({ ...test, core: later }),
    ]);
    const succeeded = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(await used(own)).toBe(succeeded);
    expect((await listDeployments(scope(own), { limit: 100 })).deployments).toHaveLength(succeeded);
    const rows = await test.database.query<{ status: string; owned: boolean; kept: boolean }>(
      'select status, account_id is not null as owned, expires is null as kept from deployment where id = any($1)',
      [sites.map(({ deployment }) => deployment)],
    );
    for (const row of rows) expect([row.owned, row.owned]).toEqual([row.status === 'success', row.kept]);
  });

  it('api §7: the 31st attempt in an hour gets a 429, whichever account owns the deployment; invalid claims do not count', async () => {
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
  ])('can be %j', (text) => {
    expect(readClaim(page, text)).toBe(HASH);
  });

  const origins = ['http://api.test', 'https://api.test:8443', 'https://evil.test', 'https://api.test.evil.test'];
  const paths = ['Claim/', '', 'claim/x/', 'claim/?'];
  const bare = ['', ' ', HASH.slice(1), `${HASH}0`, HASH.toUpperCase(), `g${HASH.slice(1)}`, `${HASH} ${HASH}`];
  it.each([
    ...bare,
    ...[...origins, 'https://jo@api.test', 'https://jo:x@api.test', '', 'api.test'].map((at) => `${at}/claim/${HASH}`),
    ...paths.map((path) => `https://api.test/${path}${HASH}`),
    ...['/x', '//'].map((end) => `https://api.test/claim/${HASH}${end}`),
    `javascript:${HASH}`,
    `\0${HASH}`,
  ])('cannot be %j: 400', (text) => {
    expect(() => readClaim(page, text)).toThrow(expect.objectContaining({ code: 'validation_failed', status: 400 }));
  });
});
