import { refusal, refusals, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountCaller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { createInvite, deleteInvite, listInvites, MAX_INVITES } from '../../../src/services/accounts/invites.ts';
import { addMember } from '../../../src/services/accounts/members.ts';
import { listActivities } from '../../../src/services/activities/activities.ts';
import { deleteExpiredSignIns } from '../../../src/services/sign-in/proofs.ts';

const test = await useTestCore();
let caller: AccountCaller;
beforeEach(async () => void ({ caller } = await test.account('team')));

const WEEK_SECONDS = 7 * 24 * 3_600;
const scope = () => ({ core: test.core, caller });
const invite = (email?: string) => createInvite(scope(), { email, role: 'member' });
const open = async () => (await listInvites(scope())).invites.map(({ invite: id }) => id);
const rows = () => test.database.query('select * from invite where account_id = $1', [caller.account]);

describe('api §13: an invitation', () => {
  it('has a link that only its creation returns and that is stored as a hash, and lasts 7 days', async () => {
    const { url, ...created } = await invite('grace@example.com');
    expect(created).toEqual({
      invite: expect.stringMatching(/^inv-[a-z0-9]{7}$/),
      email: 'grace@example.com',
      role: 'member',
      created: expect.any(Number),
      expires: created.created + WEEK_SECONDS,
    });
    expect(url).toMatch(/^https:\/\/api\.test\/app\/invite#[0-9a-f]{32}$/);
    expect((await listInvites(scope())).invites).toEqual([created]);
    expect(JSON.stringify(await rows())).not.toContain(url.slice(-32));
    const { activities } = await listActivities(scope(), { limit: 1 });
    const meta = { invite: created.invite, invited: 'grace@example.com' };
    expect(activities).toMatchObject([{ event: 'account.update', authMethod: 'api-key', meta }]);
    expect(JSON.stringify(activities)).not.toContain(url.slice(-32));
  });

  it('takes no seat, so the usage stays the same', async () => {
    await invite();
    expect((await getAccount(scope())).usage.seats).toBe(1);
  });

  it('replaces an earlier invitation with the same e-mail address in another case', async () => {
    await invite('Grace@example.com');
    const kept = await invite('other@example.com');
    const second = await invite('grace@EXAMPLE.com');
    expect(new Set(await open())).toEqual(new Set([kept.invite, second.invite]));
  });

  it('is not listed after it expired, and is then deleted', async () => {
    const { invite: id } = await invite();
    test.advance(WEEK_SECONDS - 10);
    expect(await open()).toEqual([id]);
    test.advance(20);
    expect(await open()).toEqual([]);
    expect(await rows()).toHaveLength(1);
    await deleteExpiredSignIns(test.core);
    expect(await rows()).toHaveLength(0);
  });

  it('can be deleted once, and only by its own account', async () => {
    const { invite: id } = await invite();
    const stranger = (await test.account()).caller;
    expect(await refusal(deleteInvite({ core: test.core, caller: stranger }, id))).toMatchObject({
      message: 'There is no such invitation.',
    });
    expect(await deleteInvite(scope(), id)).toEqual({ invite: id });
    expect(await refusal(deleteInvite(scope(), id))).toMatchObject({ code: 'not_found' });
    expect((await listActivities(scope(), { limit: 1 })).activities).toMatchObject([{ meta: { invited: false } }]);
  });

  it('is refused for a person who is a member, in any case of the address', async () => {
    await addMember(scope(), 'jo@example.com');
    expect(await refusal(invite('JO@example.com'))).toMatchObject({ code: 'business_logic_error' });
  });

  it('is refused if all seats of the plan are taken', async () => {
    ({ caller } = await test.account('free'));
    const details = { cap: 'seats', used: 1, limit: 1 };
    expect(await refusal(invite())).toMatchObject({ code: 'forbidden', details });
  });

  it('is refused beyond the maximum number, even if all requests arrive at once; expired ones do not count', async () => {
    const extra = 5;
    const refused = await refusals(Array.from({ length: MAX_INVITES + extra }, () => invite()));
    expect(refused).toHaveLength(extra);
    for (const error of refused) expect(error).toMatchObject({ code: 'business_logic_error' });
    test.advance(WEEK_SECONDS + 1);
    const { invite: id } = await invite();
    expect(await rows()).toMatchObject([{ id }]);
  });
});
