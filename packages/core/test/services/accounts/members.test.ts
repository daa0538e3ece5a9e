import { randomUUID } from 'node:crypto';
import { deploySite, refusal, refusals, useTestCore } from '@berth/testing/core';
import { stateOf } from '@berth/testing/invariants';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller, Scope } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteAccount } from '../../../src/services/accounts/delete-account.ts';
import { createInvite, deleteInvite } from '../../../src/services/accounts/invites.ts';
import { addToken } from '../../../src/services/accounts/tokens.ts';
import { authenticate } from '../../../src/services/authentication.ts';
import { addMember, listMembers, removeMember } from '../../../src/services/accounts/members.ts';

let caller: AccountCaller;
const test = await useTestCore();
beforeEach(async () => void ({ caller } = await test.account('team')));

const scope = () => ({ core: test.core, caller });
const addWithEmail = (email: string) => addMember(scope(), email);
const remove = (member: string) => removeMember(scope(), member);
const list = async () => (await listMembers(scope())).members.map(({ email, role }) => `${role} ${email}`);
const nowhere = () => ({ core: test.core, caller: { ...caller, account: 'acc-none' } });
const stranger = (await test.account()).caller;
const strangerId = (await listMembers({ core: test.core, caller: stranger })).members[0]!.member;
const callerOf = async (secret: string) =>
  (await authenticate(test.core, `Bearer ${secret}`, '192.0.2.1')) as AccountCaller;

/** Adds a member, and returns the caller of a request of that member. */
async function memberCaller(email: string): Promise<AccountCaller> {
  await addWithEmail(email);
  const person = `per-${randomUUID()}`;
  await test.database.query('insert into person (id, email, created) values ($1, $2, now())', [
    person,
    `${person}@test`,
  ]);
  await test.database.query('update member set person_id = $1 where account_id = $2 and email = $3', [
    person,
    caller.account,
    email,
  ]);
  return { ...caller, member: { person, role: 'member' } };
}
const seats = async () => (await getAccount({ core: test.core, caller })).usage.seats;

describe('api §6: members of an account', () => {
  it('can be added and removed; they count as seats, and each change is recorded as an activity', async () => {
    const [owner] = await list();
    expect(owner).toMatch(/^owner .+@test$/);
    expect(await seats()).toBe(1);
    const jo = await addWithEmail('Jo@example.com');
    expect(jo).toEqual({
      member: expect.stringMatching(/^mem-\d+$/),
      email: 'Jo@example.com',
      role: 'member',
      created: expect.any(Number),
    });
    await addWithEmail('kim@example.com');
    expect(await list()).toEqual([owner, 'member Jo@example.com', 'member kim@example.com']);
    expect(await seats()).toBe(3);
    expect(await remove('JO@example.com')).toMatchObject({ email: 'Jo@example.com' });
    expect(await list()).toEqual([owner, 'member kim@example.com']);
    expect(await seats()).toBe(2);
    const { activities } = await listActivities(scope(), { limit: 3 });
    const { member } = jo;
    expect(activities).toMatchObject([
      { event: 'member.delete', authMethod: 'api-key', meta: { member, email: 'Jo@example.com' } },
      { event: 'member.create', authMethod: 'api-key', meta: { email: 'kim@example.com' } },
      { event: 'member.create', authMethod: 'api-key', meta: { member, email: 'Jo@example.com', role: 'member' } },
    ]);
  });

  it('can be removed by their ids', async () => {
    const { member } = await addWithEmail('jo@example.com');
    expect(await remove(member)).toMatchObject({ email: 'jo@example.com' });
    expect(await refusal(remove(member))).toMatchObject({ code: 'not_found' });
  });

  it('keep what they published when they are removed, but lose every credential that they made', async () => {
    const jo = await memberCaller('jo@example.com');
    const key = await addToken({ core: test.core, caller: jo }, { kind: 'api' });
    const second = await addToken(
      { core: test.core, caller: await callerOf(key.secret) },
      { kind: 'deploy', labels: ['from-a-key'] },
    );
    const ownKey = await addToken(scope(), { kind: 'api' });
    await deploySite(test.core, await callerOf(second.secret), { 'index.html': 'jo' });
    await remove('jo@example.com');
    for (const { secret } of [key, second])
      expect(await refusal(callerOf(secret))).toMatchObject({ code: 'authentication_failed' });
    expect(await callerOf(ownKey.secret)).toMatchObject({ account: caller.account, member: null });
    expect((await getAccount(scope())).usage.deployments).toBe(1);
  });

  it('make a credential invalid by their absence, even if it is still stored', async () => {
    const { secret } = await addToken(
      { core: test.core, caller: await memberCaller('jo@example.com') },
      { kind: 'api' },
    );
    expect(await callerOf(secret)).toMatchObject({ member: { role: 'member' } });
    await test.database.query(`delete from member where account_id = $1 and role = 'member'`, [caller.account]);
    expect(await refusal(callerOf(secret))).toMatchObject({ code: 'authentication_failed' });
  });

  it.each<[string, (asMember: Scope) => Promise<unknown>]>([
    ['removing a member', (asMember) => removeMember(asMember, 'jo@example.com')],
    ['inviting a person', (asMember) => createInvite(asMember, { role: 'member' })],
    ['deleting an invitation', (asMember) => deleteInvite(asMember, 'inv-0000000')],
    ['deleting the account', (asMember) => deleteAccount(asMember, caller.account)],
  ])('may not do what only the owner may do, such as %s', async (_, ask) => {
    const asMember = { core: test.core, caller: await memberCaller('jo@example.com') };
    expect(await refusal(ask(asMember))).toMatchObject({ code: 'forbidden', details: undefined });
    expect(await list()).toHaveLength(2);
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
    ['adding to an unknown account', () => addMember(nowhere(), 'jo@example.com'), { code: 'not_found' }],
    ['removing from an unknown account', () => removeMember(nowhere(), 'jo@test'), { code: 'not_found' }],
    ['removing a member of another account', () => remove(strangerId), { code: 'not_found' }],
    ['removing a person who is not a member', () => remove('jo@example.com'), { code: 'not_found' }],
    ['removing the owner', async () => remove((await list())[0]!.slice(6)), { code: 'business_logic_error' }],
  ])('are unchanged after a refused request, such as %s', async (_, ask, error) => {
    const stateBefore = await stateOf(test);
    await expect(ask()).rejects.toMatchObject(error);
    expect(await stateOf(test)).toEqual(stateBefore);
  });
});
