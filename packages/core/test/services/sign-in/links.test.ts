import {
  ANONYMOUS,
  createTestBrowser,
  refusal,
  refusals,
  signInByLink,
  useTestCore,
  callerOf,
} from '@berth/testing/core';
import { describe, expect, it } from 'vitest';
import { actForAccount, registerAccount, setAccountState } from '../../../src/services/accounts/account-directory.ts';
import { createInvite } from '../../../src/services/accounts/invites.ts';
import { addMember } from '../../../src/services/accounts/members.ts';
import { authenticateSession } from '../../../src/services/authentication.ts';
import { acceptInvite } from '../../../src/services/sign-in/accept-invite.ts';
import { createFirstLink, ownerNeedsLink, readLink, useLink } from '../../../src/services/sign-in/links.ts';
import { setPersonPassword } from '../../../src/services/sign-in/password.ts';
import { deleteExpiredSignIns } from '../../../src/services/sign-in/proofs.ts';

const test = await useTestCore();
const { core, database } = test;

let people = 0;
/** Creates an account. @returns The e-mail address of its owner. */
async function addOwner(): Promise<{ email: string; account: string }> {
  const email = `Ada${(people += 1)}@Example.com`;
  return { email, account: await registerAccount(core, { email, plan: 'team' }) };
}
const secretOf = (url: string) => new URL(url).hash.replace('#first=', '');

describe('api §13: a one-time link', () => {
  it('names whom it signs in without being spent, and signs in once', async () => {
    const { email, account } = await addOwner();
    const { url } = await createFirstLink(core, email);
    const browser = createTestBrowser();
    expect(await readLink(core, browser, secretOf(url))).toMatchObject({ email: email.toLowerCase() });
    await useLink(core, browser, secretOf(url));
    expect(await callerOf(core, browser)).toMatchObject({
      account,
      credential: 'session',
      authMethod: 'session',
      member: { role: 'owner' },
      session: { email: email.toLowerCase() },
    });
    for (const use of [readLink, useLink])
      expect(await refusal(use(core, browser, secretOf(url)))).toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/was used or has expired/),
      });
  });

  it('T44: signs in exactly one of 40 concurrent uses', async () => {
    const { email } = await addOwner();
    const { url } = await createFirstLink(core, email);
    const browsers = Array.from({ length: 40 }, () => createTestBrowser());
    const refused = await refusals(browsers.map((browser) => useLink(core, browser, secretOf(url))));
    expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 39 }, () => 'not_found'));
    expect(browsers.filter(({ session }) => session !== null)).toHaveLength(1);
  });

  it('expires after 15 minutes, and its row is removed', async () => {
    const { email } = await addOwner();
    const { url } = await createFirstLink(core, email);
    test.advance(901);
    expect(await refusal(useLink(core, createTestBrowser(), secretOf(url)))).toMatchObject({ code: 'not_found' });
    await deleteExpiredSignIns(core);
    expect(await database.query(`select 1 from proof`)).toEqual([]);
  });

  it('replaces the earlier link of the same person only', async () => {
    const [ada, bob] = [await addOwner(), await addOwner()];
    const first = await createFirstLink(core, ada.email);
    const other = await createFirstLink(core, bob.email);
    const second = await createFirstLink(core, ada.email.toUpperCase());
    expect(await refusal(readLink(core, createTestBrowser(), secretOf(first.url)))).toMatchObject({
      code: 'not_found',
    });
    for (const { url } of [other, second]) await useLink(core, createTestBrowser(), secretOf(url));
  });

  it('is refused for an address that is no member', async () => {
    expect(await refusal(createFirstLink(core, 'stranger@example.com'))).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('stranger@example.com'),
    });
  });

  it('signs in a member that the operator has added, in the account that they used last', async () => {
    const [ada, bob] = [await addOwner(), await addOwner()];
    await addMember(await actForAccount(core, bob.account), ada.email);
    const { caller } = await signInByLink(core, ada.email);
    expect(caller).toMatchObject({ account: ada.account, member: { role: 'owner' } });
    await database.query('update session set account_id = $1 where id = $2', [bob.account, caller.token]);
    const again = await signInByLink(core, ada.email);
    expect(again.caller).toMatchObject({ account: bob.account, member: { role: 'member' } });
  });

  it('T20: stores only the hash of its secret and of the session, and records the sign-in', async () => {
    const { email, account } = await addOwner();
    const { browser, caller } = await signInByLink(core, email);
    const rows = await database.query('select s::text as row from session s union all select p::text from proof p');
    expect(JSON.stringify(rows)).not.toContain(browser.session);
    const [activity] = await database.query(
      `select event, auth_method, meta from activity where account_id = $1 order by id desc limit 1`,
      [account],
    );
    expect(activity).toEqual({
      event: 'session.create',
      auth_method: 'session',
      meta: { session: caller.token, method: 'link', email: email.toLowerCase() },
    });
  });

  it('T47: that was not used yet gives no account to someone who accepts an invitation for its address', async () => {
    const [victim, attacker] = [await addOwner(), await addOwner()];
    const { url } = await createFirstLink(core, victim.email);
    const { url: invitation } = await createInvite(await actForAccount(core, attacker.account), {
      email: victim.email,
      role: 'member',
    });
    const secret = /[0-9a-f]{32}/.exec(invitation)![0];
    const planted = createTestBrowser();
    await acceptInvite({ core, browser: planted, caller: ANONYMOUS }, { secret });
    expect(await callerOf(core, planted)).toMatchObject({ account: attacker.account, member: { role: 'member' } });
    expect(await database.query('select person_id from member where account_id = $1', [victim.account])).toEqual([
      { person_id: null },
    ]);

    const browser = createTestBrowser();
    await useLink(core, browser, secretOf(url));
    expect(await callerOf(core, browser)).toMatchObject({ session: { email: victim.email.toLowerCase() } });
    expect(await authenticateSession(core, planted.session, '')).toMatchObject({ kind: 'anonymous' });
  });

  it('does not sign in to a suspended account', async () => {
    const { email, account } = await addOwner();
    const { url } = await createFirstLink(core, email);
    await setAccountState(core, account, 'suspended');
    expect(await refusal(useLink(core, createTestBrowser(), secretOf(url)))).toMatchObject({
      code: 'forbidden',
      message: 'This account is suspended.',
    });
  });
});

it('api §13: the owner needs a link until they have a password', async () => {
  expect(await ownerNeedsLink(core)).toBe(false);
  await registerAccount(core, { email: core.ownerEmail, plan: 'scale' });
  expect(await ownerNeedsLink(core)).toBe(true);
  const scope = await signInByLink(core, core.ownerEmail);
  expect(await ownerNeedsLink(core)).toBe(true);
  await setPersonPassword(scope, 'correct horse battery');
  expect(await ownerNeedsLink(core)).toBe(false);
});
