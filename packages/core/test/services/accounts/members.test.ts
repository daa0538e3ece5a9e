import { useTestCore, refusals } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { addMember, listMembers, removeMember } from '../../../src/services/accounts/members.ts';

let caller: AccountCaller;
const test = await useTestCore();
beforeEach(async () => void ({ caller } = await test.account('team')));

const addWithEmail = (email: string) => addMember(test.core, caller.account, email);
const remove = (email: string) => removeMember(test.core, caller.account, email);
const list = async () => (await listMembers(test.core, caller.account)).map(({ email, role }) => `${role} ${email}`);
const seats = async () => (await getAccount({ core: test.core, caller })).usage.seats;

describe('api §6: members of an account', () => {
  it('can be added and removed; they count as seats, and each change is recorded as an activity', async () => {
    const [owner] = await list();
    expect(owner).toMatch(/^owner .+@test$/);
    expect(await seats()).toBe(1);
    expect(await addWithEmail(' Jo@example.com ')).toEqual({
      email: 'Jo@example.com',
      role: 'member',
      created: expect.any(Date),
    });
    await addWithEmail('kim@example.com');
    expect(await list()).toEqual([owner, 'member Jo@example.com', 'member kim@example.com']);
    expect(await seats()).toBe(3);
    expect(await remove('JO@example.com')).toMatchObject({ email: 'Jo@example.com' });
    expect(await list()).toEqual([owner, 'member kim@example.com']);
    expect(await seats()).toBe(2);
    const { activities } = await listActivities({ core: test.core, caller }, { limit: 3 });
    const recordedActivity = { event: 'account.update', authMethod: 'operator' };
    expect(activities).toMatchObject([
      { ...recordedActivity, meta: { member: { removed: 'Jo@example.com' } } },
      { ...recordedActivity, meta: { member: { added: 'kim@example.com' } } },
      { ...recordedActivity, meta: { member: { added: 'Jo@example.com' } } },
    ]);
  });

  it('T26: never exceed the cap on seats, even if 30 requests arrive at once', async () => {
    const refusedMembers = await refusals(
      Array.from({ length: 30 }, (_, i) => addWithEmail(`member-${i}@example.com`)),
    );
    expect(refusedMembers).toHaveLength(21);
    for (const error of refusedMembers)
      expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'seats', used: 10, limit: 10 } });
    expect(await seats()).toBe(10);
    await remove('member-' + (await list()).at(-1)!.replace(/\D*(\d+).*/, '$1') + '@example.com');
    await addWithEmail('late@example.com');
  });

  it('are the same person if their e-mail addresses differ only in case, even if two requests arrive at once', async () => {
    expect(await refusals(['jo@example.com', 'JO@example.com'].map(addWithEmail))).toHaveLength(1);
    expect(await seats()).toBe(2);
  });

  it('are unlimited on a plan without caps', async () => {
    ({ caller } = await test.account('scale'));
    for (let i = 0; i < 12; i += 1) await addWithEmail(`member-${i}@example.com`);
    expect(await seats()).toBe(13);
  });

  it('cannot be added on a plan with one seat, because the owner has that seat', async () => {
    ({ caller } = await test.account());
    await expect(addWithEmail('jo@example.com')).rejects.toMatchObject({
      message: expect.stringContaining('1 member,'),
    });
  });

  it.each<[string, () => Promise<unknown>, object]>([
    ['adding an invalid address', () => addWithEmail('jo'), { code: 'validation_failed' }],
    ['adding an address with a line feed', () => addWithEmail('jo@example.com\nx'), { code: 'validation_failed' }],
    [
      'adding an address that is too long',
      () => addWithEmail(`${'a'.repeat(250)}@test`),
      { code: 'validation_failed' },
    ],
    ['adding to an unknown account', () => addMember(test.core, 'acc-none', 'jo@example.com'), { code: 'not_found' }],
    ['listing an unknown account', () => listMembers(test.core, 'acc-none'), { code: 'not_found' }],
    ['removing from an unknown account', () => removeMember(test.core, 'acc-none', 'jo@test'), { code: 'not_found' }],
    ['removing a person who is not a member', () => remove('jo@example.com'), { code: 'not_found' }],
    ['removing the owner', async () => remove((await list())[0]!.slice(6)), { code: 'business_logic_error' }],
  ])('are unchanged after a refused request, such as %s', async (_, ask, error) => {
    const stateBefore = await stateOf(test);
    await expect(ask()).rejects.toMatchObject(error);
    expect(await stateOf(test)).toEqual(stateBefore);
  });
});
