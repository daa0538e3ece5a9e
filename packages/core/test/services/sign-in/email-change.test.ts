import { createTestBrowser, callerOf, refusal, refusals, signInByLink, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import type { Mail } from '../../../src/mail/mailer.ts';
import { actForAccount, registerAccount } from '../../../src/services/accounts/account-directory.ts';
import { ensureOwner, getAccount } from '../../../src/services/accounts/accounts.ts';
import { deleteAccount } from '../../../src/services/accounts/delete-account.ts';
import { addMember } from '../../../src/services/accounts/members.ts';
import { readOwnerEmail } from '../../../src/services/accounts/owner-account.ts';
import { authenticateSession } from '../../../src/services/authentication.ts';
import { changeEmail, requestEmailChange } from '../../../src/services/sign-in/email-change.ts';
import type { SessionScope } from '../../../src/services/sign-in/session-scope.ts';

const sent: Mail[] = [];
const mailer = { send: async (mail: Mail) => void sent.push(mail), close: () => {} };
const test = await useTestCore({ signIn: { mailer, provider: null, signUp: null } });
const { core, database } = test;

let people = 0;
let email: string;
let account: string;
let scope: Awaited<ReturnType<typeof signInByLink>>;
beforeEach(async () => {
  sent.length = 0;
  email = `Emmy-${(people += 1)}@example.com`;
  account = await registerAccount(core, { email, plan: 'team' });
  scope = await signInByLink(core, email);
});

const newEmail = () => `new-${email.toLowerCase()}`;
const codeTo = (address: string) => /\b\d{6}\b/.exec(sent.findLast(({ to }) => to === address)!.text)![0];
const codes = () => ({ code: codeTo(newEmail()), presentCode: codeTo(email.toLowerCase()) });
const ask = (of: SessionScope = scope) => requestEmailChange(of, { email: newEmail() });
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('api §13: a change of the e-mail address', () => {
  it('needs a code of both addresses, and changes the person, the member and the account that they own', async () => {
    const elsewhere = await signInByLink(core, email);
    expect(await requestEmailChange(scope, { email: newEmail().toUpperCase() })).toEqual({
      changed: false,
      confirmsPresent: true,
    });
    expect(sent.map(({ to }) => to)).toEqual([newEmail(), email.toLowerCase()]);
    await changeEmail(scope, codes());
    const caller = await callerOf(core, scope.browser);
    expect(caller.session.email).toBe(newEmail());
    expect(await getAccount({ core, caller })).toMatchObject({ account, email: newEmail() });
    expect(await database.query('select email from member where account_id = $1', [account])).toEqual([
      { email: newEmail() },
    ]);
    expect(await authenticateSession(core, elsewhere.browser.session, '')).toMatchObject({ kind: 'anonymous' });
    const activities = await database.query(
      `select event, auth_method, meta from activity where account_id = $1 order by id desc limit 1`,
      [account],
    );
    expect(activities).toEqual([
      {
        event: 'account.update',
        auth_method: 'session',
        meta: { email: { from: email.toLowerCase(), to: newEmail() } },
      },
    ]);
    expect(await refusal(changeEmail(scope, codes()))).toMatchObject({ code: 'authentication_failed' });
  });

  it('T44: succeeds once of 40 concurrent uses, and not with one right code', async () => {
    await ask();
    const { code, presentCode } = codes();
    for (const guess of [{ code }, { code, presentCode: wrong(presentCode) }, { code: wrong(code), presentCode }])
      expect((await refusal(changeEmail(scope, guess))).message).toMatch(
        /^A code is wrong\. You can try \d more times?\.$/,
      );
    const uses = Array.from({ length: 40 }, () =>
      changeEmail({ ...scope, browser: { ...scope.browser } }, { code, presentCode }),
    );
    expect(await refusals(uses)).toHaveLength(39);
  });

  it('T44: is bound to the browser and to the person, and expires after 10 minutes', async () => {
    await ask();
    const other = await signInByLink(core, email);
    expect(await refusal(changeEmail(other, codes()))).toMatchObject({ code: 'authentication_failed' });
    const address = `other-${email}`;
    await registerAccount(core, { email: address, plan: 'free' });
    const stranger = await signInByLink(core, address, createTestBrowser());
    const borrowed = {
      ...stranger,
      browser: createTestBrowser({ session: stranger.browser.session, proof: scope.browser.proof }),
    };
    expect(await refusal(changeEmail(borrowed, codes()))).toMatchObject({ code: 'authentication_failed' });
    await ask();
    test.advance(601);
    expect(await refusal(changeEmail(scope, codes()))).toMatchObject({ code: 'authentication_failed' });
  });

  it('T47: is refused for the address of another person or account, after it was proved', async () => {
    await registerAccount(core, { email: newEmail(), plan: 'free' });
    await ask();
    expect(await refusal(changeEmail(scope, codes()))).toMatchObject({
      code: 'business_logic_error',
      details: { state: 'email_taken' },
    });
  });

  it('is refused for the address of another member of one of the accounts', async () => {
    await addMember(await actForAccount(core, account), newEmail());
    await ask();
    expect(await refusal(changeEmail(scope, codes()))).toMatchObject({ details: { state: 'email_taken' } });
  });

  it.each([
    ['the present address', () => email.toUpperCase()],
    ['an address that mail servers could read as another one', () => 'a,b@example.com'],
    ['an address at localhost', () => 'ada@localhost'],
  ])('is refused for %s', async (_, address) => {
    expect(await refusal(requestEmailChange(scope, { email: address() }))).toMatchObject({ code: 'validation_failed' });
    expect(sent).toEqual([]);
  });

  const within = (other: Core['signIn']['mailer']) => ({
    ...scope,
    core: { ...core, signIn: { mailer: other, provider: null, signUp: null } },
  });

  it('happens at once without a mail server, ends the other sessions, and leaves the address not verified', async () => {
    const elsewhere = await signInByLink(core, email);
    expect(await ask(within(null))).toEqual({ changed: true, confirmsPresent: false });
    const caller = await callerOf(core, scope.browser);
    expect(caller.session.email).toBe(newEmail());
    expect(await getAccount({ core, caller })).toMatchObject({ account, email: newEmail() });
    expect(await authenticateSession(core, elsewhere.browser.session, '')).toMatchObject({ kind: 'anonymous' });
    expect(await database.query('select verified from person where id = $1', [caller.member.person])).toEqual([
      { verified: null },
    ]);
  });

  it('T47: is refused without a mail server for the address of another person, or of a member who has not signed in', async () => {
    const other = `other-${email.toLowerCase()}`;
    await registerAccount(core, { email: other, plan: 'team' });
    const team = await registerAccount(core, { email: `team-${email}`, plan: 'team' });
    await addMember(await actForAccount(core, team), `added-${email}`);
    for (const taken of [other, `added-${email}`])
      expect(await refusal(requestEmailChange(within(null), { email: taken }))).toMatchObject({
        details: { state: 'email_taken' },
      });
  });

  it('says when an e-mail could not be sent', async () => {
    const failing = { ...mailer, send: () => Promise.reject(new Error('connection refused')) };
    expect(await refusal(ask(within(failing)))).toMatchObject({ code: 'unavailable' });
  });
});

describe('api §8: the owner of the server', () => {
  it('changes owner@localhost, which receives no e-mail, with a code of the new address, and stays the owner', async () => {
    await ensureOwner(core, { email: core.ownerEmail, plan: core.plans.all[0]! });
    const owner = await signInByLink(core, core.ownerEmail);
    expect(await ask(owner)).toEqual({ changed: false, confirmsPresent: false });
    expect(sent.map(({ to }) => to)).toEqual([newEmail()]);
    await changeEmail(owner, { code: codeTo(newEmail()) });
    expect(await readOwnerEmail(core)).toBe(newEmail());
    const apiKey = `ship-${'0'.repeat(32)}`;
    await ensureOwner(core, { email: core.ownerEmail, plan: core.plans.all[0]!, apiKey });
    const caller = await callerOf(core, owner.browser);
    expect(await database.query('select 1 from token where account_id = $1', [caller.account])).toHaveLength(2);
    expect(await refusal(deleteAccount({ core, caller }, caller.account))).toMatchObject({
      code: 'business_logic_error',
    });
  });
});
