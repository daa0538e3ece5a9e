import { ANONYMOUS, useTestCore, deploySite } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import {
  actForAccount,
  getBilling,
  registerAccount,
  setAccountState,
} from '../../../src/services/accounts/account-directory.ts';
import { listAccounts } from '../../../src/services/operator-lists.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { setTakenDown } from '../../../src/services/deployments/take-downs.ts';

let caller: AccountCaller;
const test = await useTestCore();
const { core } = test;
beforeEach(async () => void ({ caller } = await test.account()));

const newestEvents = async (count: number) =>
  (await listActivities({ core, caller }, { limit: 100 })).activities.slice(0, count);

describe('api §6: the state of an account', () => {
  it('is recorded as an activity when it changes, and is not recorded when it stays the same', async () => {
    const changes = [];
    for (const state of ['suspended', 'suspended', 'terminated', 'active', 'active'] as const)
      changes.push(await setAccountState(core, caller.account, state));
    expect(changes.map(({ from }) => from)).toEqual(['active', 'suspended', 'suspended', 'terminated', 'active']);
    expect((await newestEvents(4)).map(({ event, authMethod, meta }) => ({ event, authMethod, meta }))).toMatchObject([
      { event: 'account.update', meta: { state: { from: 'terminated', to: 'active' } } },
      { event: 'account.delete', meta: { state: { from: 'suspended', to: 'terminated' } } },
      { event: 'account.update', meta: { state: { from: 'active', to: 'suspended' } } },
      { event: 'account.key.generate', authMethod: 'operator' },
    ]);
  });

  it('has a reason, which its members read in refusals and activities until it is active again', async () => {
    expect(await setAccountState(core, caller.account, 'suspended', { reason: 'Phishing' })).toMatchObject({
      changed: true,
    });
    const change = { from: 'suspended', to: 'suspended' };
    expect(await setAccountState(core, caller.account, 'suspended')).toEqual({ ...change, changed: false });
    await expect(deploySite(core, caller, { 'index.html': 'x' })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This account is suspended: Phishing',
    });
    expect(await setAccountState(core, caller.account, 'suspended', { reason: 'Spam' })).toEqual({
      ...change,
      changed: true,
    });
    expect(await getBilling(core, caller.account)).toMatchObject({ state: 'suspended', stateReason: 'Spam' });
    await setAccountState(core, caller.account, 'active');
    expect(await getBilling(core, caller.account)).toMatchObject({ state: 'active', stateReason: null });
    expect(await newestEvents(3)).toMatchObject([
      { meta: { state: { from: 'suspended', to: 'active' } } },
      { meta: { state: change, reason: 'Spam' } },
      { meta: { state: { from: 'active', to: 'suspended' }, reason: 'Phishing' } },
    ]);
  });

  it('cannot be changed if the account does not exist', async () => {
    await expect(setAccountState(core, 'acc-missing', 'suspended')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('T26: is enforced at commit: no deploy commits after the account is suspended', async () => {
    const deploys = Array.from({ length: 12 }, () => deploySite(core, caller, { 'index.html': 'x' }));
    await Promise.allSettled([...deploys, setAccountState(core, caller.account, 'suspended')]);
    const log = (await newestEvents(100)).map(({ event }) => event);
    const eventsAfter = log.slice(0, log.indexOf('account.update'));
    expect(eventsAfter).not.toContain('deployment.create');
  });
});

describe('api §6: a deployment that the operator takes down', () => {
  it.each([
    ['its id', (id: string) => id],
    ['its host name', (id: string) => `${id.toUpperCase()}.sites.test`],
    ['its URL', (id: string) => `https://${id}.sites.test/some/page?x#y`],
  ])('can be referred to by %s, and can be restored', async (_, name) => {
    const { deployment } = (await deploySite(core, caller, { 'index.html': 'x' })).body;
    const down = await setTakenDown(core, name(deployment), true, { reason: 'Phishing' });
    expect(down).toEqual({ deployment, account: caller.account, takenDown: true, changed: true });
    expect(await setTakenDown(core, deployment, true)).toMatchObject({ changed: false });
    expect(await setTakenDown(core, deployment, false)).toMatchObject({ changed: true });
    expect(await setTakenDown(core, deployment, false)).toMatchObject({ changed: false });
    expect(await newestEvents(2)).toMatchObject([
      { event: 'deployment.update', deployment, authMethod: 'operator', meta: { takenDown: false } },
      { event: 'deployment.update', deployment, meta: { takenDown: true, reason: 'Phishing' } },
    ]);
  });

  it('can be an anonymous deployment', async () => {
    const { deployment } = (await deploySite(core, ANONYMOUS, { 'index.html': 'x' })).body;
    expect(await setTakenDown(core, deployment, true)).toMatchObject({ account: null, changed: true });
    const [row] = await test.database.query('select taken_down from deployment where id = $1', [deployment]);
    expect(row).toEqual({ taken_down: expect.any(Date) });
  });

  it('must exist: a deleted or unknown deployment is not found', async () => {
    const { deployment } = (await deploySite(core, caller, { 'index.html': 'x' })).body;
    await deleteDeployment({ core, caller }, deployment);
    for (const name of [deployment, 'calm-otter-0000000', 'nonsense', 'https://elsewhere.test/'])
      await expect(setTakenDown(core, name, true)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('api §8: the accounts that an operator manages', () => {
  it('are created with a plan, a name and a billing period; two accounts cannot have the same e-mail address', async () => {
    const email = `${caller.account}@new.test`;
    const account = await registerAccount(core, { email, plan: 'pro', name: 'Ada', period: 'year' });
    const listedAccount = { account, email, name: 'Ada', plan: 'pro', deployments: 0 };
    expect((await listAccounts(core)).at(-1)).toMatchObject(listedAccount);
    const { period, periodEnds, scheduled } = await getBilling(core, account);
    expect({ period, scheduled }).toEqual({ period: 'year', scheduled: null });
    expect(periodEnds - Date.now() / 1000).toBeGreaterThan(364 * 86_400);
    await expect(registerAccount(core, { email, plan: 'free' })).rejects.toMatchObject({
      code: 'business_logic_error',
    });
  });

  it('can be referred to by id, or by e-mail address in upper or lower case', async () => {
    const email = `Ada.${caller.account}@Example.test`;
    const account = await registerAccount(core, { email, plan: 'free' });
    for (const name of [account, email, email.toLowerCase(), email.toUpperCase()])
      expect((await actForAccount(core, name)).caller).toMatchObject({ account, authMethod: 'operator' });
    await expect(actForAccount(core, 'missing@example.test')).rejects.toMatchObject({ code: 'not_found' });
  });
});
