import { randomUUID } from 'node:crypto';
import { ANONYMOUS, createTestBrowser, refusal, refusals, type TestBrowser, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFirstLink, useLink } from '../../../src/services/sign-in/links.ts';
import type { AccountCaller, Caller } from '../../../src/core.ts';
import { getAccount } from '../../../src/services/accounts/accounts.ts';
import { createInvite } from '../../../src/services/accounts/invites.ts';
import { addMember, listMembers, removeMember } from '../../../src/services/accounts/members.ts';
import { authenticateSession } from '../../../src/services/authentication.ts';
import { acceptInvite, readInvite } from '../../../src/services/sign-in/accept-invite.ts';

const test = await useTestCore();
const { core } = test;
let owner: AccountCaller;
beforeEach(async () => void ({ caller: owner } = await test.account('team')));

const scope = () => ({ core, caller: owner });
const uniqueEmail = () => `${randomUUID()}@example.com`;

async function invite(email?: string): Promise<string> {
  return (await createInvite(scope(), { email, role: 'member' })).url.slice(-32);
}

/** Accepts as a person who is not signed in. @returns The browser, which is then signed in. */
async function accept(secret: string, email?: string) {
  const browser = createTestBrowser();
  await acceptInvite({ core, browser, caller: ANONYMOUS }, { secret, email });
  return browser;
}

const callerOf = (browser: TestBrowser): Promise<Caller> => authenticateSession(core, browser.session, '192.0.2.1');
const emails = async () => (await listMembers(scope())).members.map(({ email }) => email);

describe('api §13: an invitation that is accepted', () => {
  it('makes a new person a member who is signed in, once', async () => {
    const email = uniqueEmail();
    const secret = await invite(email);
    expect(await readInvite({ core, browser: createTestBrowser(), caller: ANONYMOUS }, secret)).toMatchObject({
      account: owner.account,
      email,
    });
    const browser = await accept(secret, 'ignored@example.com');
    expect(await callerOf(browser)).toMatchObject({
      account: owner.account,
      credential: 'session',
      member: { role: 'member' },
      session: { email },
    });
    expect(await emails()).toContain(email);
    expect(await refusal(accept(secret))).toMatchObject({ code: 'not_found' });
  });

  it('asks for the e-mail address if it names none', async () => {
    const secret = await invite();
    expect(await refusal(accept(secret))).toMatchObject({ code: 'validation_failed' });
    const email = uniqueEmail();
    await accept(secret, email);
    expect(await emails()).toContain(email);
  });

  it('counts the seat under the lock: of 15 people at once, those beyond the cap are refused', async () => {
    const secrets = await Promise.all(Array.from({ length: 15 }, () => invite()));
    const refused = await refusals(secrets.map((secret) => accept(secret, uniqueEmail())));
    expect(refused).toHaveLength(6);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'forbidden', details: { cap: 'seats', used: 10, limit: 10 } });
    expect((await getAccount(scope())).usage.seats).toBe(10);
  });

  it('is accepted by one of 10 people at once', async () => {
    const secret = await invite();
    const refused = await refusals(Array.from({ length: 10 }, () => accept(secret, uniqueEmail())));
    expect(refused).toHaveLength(9);
    expect(await emails()).toHaveLength(2);
  });

  it('never signs in a person who is a member elsewhere; that person must sign in first', async () => {
    const email = uniqueEmail();
    const browser = await accept(await invite(email));
    const other = await test.account('team');
    const created = await createInvite({ core, caller: other.caller }, { email, role: 'member' });
    const secret = created.url.slice(-32);
    expect(await refusal(accept(secret))).toMatchObject({
      code: 'business_logic_error',
      details: { state: 'known_person' },
    });
    await acceptInvite({ core, browser, caller: await callerOf(browser) }, { secret });
    expect(await callerOf(browser)).toMatchObject({ account: other.caller.account, session: { email } });
  });

  it('is refused for another person who is signed in, and stays open', async () => {
    const browser = await accept(await invite(uniqueEmail()));
    const email = uniqueEmail();
    const secret = await invite(email);
    const request = acceptInvite({ core, browser, caller: await callerOf(browser) }, { secret });
    expect(await refusal(request)).toMatchObject({ details: { state: 'other_person' } });
    await accept(secret);
    expect(await emails()).toContain(email);
  });

  it('gives a person the membership that the operator added with the same address', async () => {
    const secret = await invite();
    const email = uniqueEmail();
    await addMember(scope(), email);
    await accept(secret, email.toUpperCase());
    expect((await emails()).filter((each) => each === email)).toHaveLength(1);
  });

  it('security T47: never makes its guest the owner, even with the address of an owner who has not signed in', async () => {
    const { email } = await getAccount(scope());
    expect(await refusal(accept(await invite(), email))).toMatchObject({ details: { member: email } });
  });

  it('security T47: does not give its guest a way into the person of a one-time link for the same address', async () => {
    const email = uniqueEmail();
    const guest = await accept(await invite(), email);
    const other = await test.account('team');
    await addMember({ core, caller: other.caller }, email);
    const browser = createTestBrowser();
    await useLink(core, browser, (await createFirstLink(core, email)).url.slice(-32));
    expect(await callerOf(browser)).toMatchObject({ kind: 'account', session: { email } });
    expect(await callerOf(guest)).toMatchObject({ kind: 'anonymous' });
  });

  it('ends with the membership: a removed member is signed out, and can be invited again', async () => {
    const email = uniqueEmail();
    const browser = await accept(await invite(email));
    await removeMember(scope(), email);
    expect(await callerOf(browser)).toMatchObject({ kind: 'anonymous' });
    await accept(await invite(email));
    expect(await emails()).toContain(email);
  });
});
