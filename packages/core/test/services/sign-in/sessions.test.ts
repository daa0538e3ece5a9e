import {
  ANONYMOUS,
  anotherProcess,
  callerOf,
  createTestBrowser,
  refusal,
  signInByLink,
  useTestCore,
} from '@berth/testing/core';
import { describe, expect, it } from 'vitest';
import { createCaller } from '../../../src/routers/app-router.ts';
import { actForAccount, registerAccount, setAccountState } from '../../../src/services/accounts/account-directory.ts';
import { addMember, removeMember } from '../../../src/services/accounts/members.ts';
import { authenticateSession, checkCredential } from '../../../src/services/authentication.ts';
import { proveWithPassword, setPersonPassword, signInWithPassword } from '../../../src/services/sign-in/password.ts';
import { deleteExpiredSignIns } from '../../../src/services/sign-in/proofs.ts';
import {
  deleteOtherSessions,
  deleteSession,
  endSession,
  listSessions,
} from '../../../src/services/sign-in/session-list.ts';
import { chooseAccount, readSessionState } from '../../../src/services/sign-in/session-state.ts';

const test = await useTestCore();
const { core, database } = test;
const DAY = 86_400;
const PASSWORD = 'correct horse battery';

let people = 0;
async function addOwner(): Promise<{ email: string; account: string }> {
  const email = `grace${(people += 1)}@example.com`;
  return { email, account: await registerAccount(core, { email, plan: 'team' }) };
}

describe('api §13: a session', () => {
  it.each([
    ['not used for 14 days', [14 * DAY], false],
    ['used each 13 days', [13 * DAY, 13 * DAY], true],
    ['used each 13 days for more than 90 days', [13, 13, 13, 13, 13, 13, 13].map((days) => days * DAY), false],
  ])('that is %s is valid: %o → %s', async (_, pauses, isValid) => {
    const { email } = await addOwner();
    const { browser } = await signInByLink(core, email);
    for (const seconds of pauses.slice(0, -1)) {
      test.advance(seconds);
      expect((await authenticateSession(core, browser.session, '')).kind).toBe('account');
    }
    test.advance(pauses.at(-1)!);
    expect((await authenticateSession(core, browser.session, '')).kind).toBe(isValid ? 'account' : 'anonymous');
  });

  it.each([null, '', '0'.repeat(32), 'ses-1234567'])('is not opened by the cookie %j', async (secret) => {
    expect(await authenticateSession(core, secret, '192.0.2.9')).toEqual({ kind: 'anonymous', address: '192.0.2.9' });
  });

  it('T46: ends with the membership, by the next request of every process', async () => {
    const [owner, member] = [await addOwner(), await addOwner()];
    await addMember(await actForAccount(core, owner.account), member.email);
    const { browser, caller } = await signInByLink(core, member.email);
    await chooseAccount({ core, browser, caller }, owner.account);
    const other = await anotherProcess(test);
    expect(await callerOf(other, browser)).toMatchObject({ account: owner.account, member: { role: 'member' } });
    await removeMember(await actForAccount(core, owner.account), member.email);
    for (const process of [core, other])
      expect(await authenticateSession(process, browser.session, '')).toMatchObject({ kind: 'anonymous' });
  });

  it.each(['suspended', 'terminated'] as const)(
    'of an account that is %s shows why, can use another account and sign out, and nothing else',
    async (state) => {
      const [{ email, account }, other] = [await addOwner(), await addOwner()];
      await addMember(await actForAccount(core, other.account), email);
      const { browser } = await signInByLink(core, email);
      await setAccountState(core, account, state, { reason: 'Phishing' });
      const apiOf = async () => createCaller({ core, caller: await callerOf(core, browser), browser, requestId: 'r' });
      const api = await apiOf();
      expect((await api.session.get()).signedIn).toMatchObject({
        account,
        accountState: state,
        accountStateReason: 'Phishing',
        accounts: [{ account: other.account }],
      });
      const refused = { cause: { code: 'forbidden', message: `This account is ${state}: Phishing` } };
      for (const call of [api.account.get(), api.sessions.list(), api.plans.list(), api.deployments.list({})])
        await expect(call).rejects.toMatchObject(refused);
      await expect(api.deployments.begin({ files: [] })).rejects.toMatchObject(refused);
      await api.session.choose({ account: other.account });
      expect(await (await apiOf()).account.get()).toMatchObject({ account: other.account });
      await setAccountState(core, other.account, state);
      await (await apiOf()).session.end();
      expect(browser.session).toBeNull();
    },
  );

  it('T46: gets a new secret with each sign-in, and the earlier one is not valid any more', async () => {
    const { email } = await addOwner();
    const browser = createTestBrowser();
    const first = await signInByLink(core, email, browser);
    const before = browser.session;
    await signInByLink(core, email, browser);
    expect(browser.session).not.toBe(before);
    expect(await authenticateSession(core, before, '')).toMatchObject({ kind: 'anonymous' });
    expect((await listSessions({ ...first, caller: await callerOf(core, browser) })).sessions).toHaveLength(1);
  });

  it('replaces the one that was not used for the longest time when a person has 50', async () => {
    const { email } = await addOwner();
    const first = await signInByLink(core, email);
    for (let count = 0; count < 49; count += 1) {
      test.advance(1);
      await signInByLink(core, email);
    }
    expect((await listSessions(first)).sessions).toHaveLength(50);
    test.advance(1);
    const last = await signInByLink(core, email);
    expect((await listSessions(last)).sessions).toHaveLength(50);
    expect(await authenticateSession(core, first.browser.session, '')).toMatchObject({ kind: 'anonymous' });
  });

  it('is checked again during long requests', async () => {
    const { email } = await addOwner();
    const scope = await signInByLink(core, email);
    expect(await checkCredential(scope)).toBeInstanceOf(Date);
    await endSession(core, scope.browser);
    expect(await refusal(checkCredential(scope))).toMatchObject({ code: 'authentication_failed' });
  });

  it('acts for an account that its person chooses, and for no other', async () => {
    const [ada, bob, eve] = [await addOwner(), await addOwner(), await addOwner()];
    await addMember(await actForAccount(core, bob.account), ada.email);
    const scope = await signInByLink(core, ada.email);
    const state = await readSessionState(core, scope.browser, scope.caller);
    expect(state.signedIn).toMatchObject({
      account: ada.account,
      role: 'owner',
      hasPassword: false,
      passkeys: 0,
      accounts: [{ account: ada.account }, { account: bob.account, role: 'member' }],
    });
    await chooseAccount(scope, bob.account);
    expect(await callerOf(core, scope.browser)).toMatchObject({ account: bob.account });
    expect(await refusal(chooseAccount(scope, eve.account))).toMatchObject({ code: 'not_found' });
  });
});

describe('api §13: the list of sessions', () => {
  it('shows the browsers of the person only, and ends one, all others, or its own', async () => {
    const { email, account } = await addOwner();
    const stranger = await signInByLink(core, (await addOwner()).email);
    const laptop = await signInByLink(core, email, createTestBrowser({ agent: 'Laptop', address: '192.0.2.7' }));
    const phone = await signInByLink(core, email);
    const third = await signInByLink(core, email);
    const { sessions } = await listSessions(laptop);
    expect(sessions.map(({ session }) => session).toSorted()).toEqual(
      [laptop, phone, third].map(({ caller }) => caller.token).toSorted(),
    );
    expect(sessions.find(({ current }) => current)).toMatchObject({
      agent: 'Laptop',
      address: '192.0.2.7',
      method: 'link',
    });

    expect(await refusal(deleteSession(laptop, stranger.caller.token))).toMatchObject({ code: 'not_found' });
    await deleteSession(laptop, phone.caller.token);
    expect(await refusal(deleteSession(laptop, phone.caller.token))).toMatchObject({ code: 'not_found' });
    expect(await deleteOtherSessions(laptop)).toBe(1);
    await endSession(core, laptop.browser);
    expect(laptop.browser.session).toBeNull();
    expect(await callerOf(core, stranger.browser)).toMatchObject({ kind: 'account' });
    expect(
      await database.query(`select meta from activity where account_id = $1 and event = 'session.delete' order by id`, [
        account,
      ]),
    ).toEqual([phone, third, laptop].map(({ caller }) => ({ meta: { session: caller.token, email } })));
  });

  describe('is recorded in the activities of each account for which it acted', () => {
    const eventsOf = async (account: string) =>
      (
        await database.query<{ event: string; meta: Record<string, unknown> }>(
          `select event, meta from activity where account_id = $1 and event in ('session.create', 'session.delete', 'account.update')
           order by id`,
          [account],
        )
      ).map(({ event, meta: { email: _email, method: _method, ...meta } }) => ({ event, meta }));

    it('when the person uses another account', async () => {
      const [{ email, account }, other] = [await addOwner(), await addOwner()];
      await addMember(await actForAccount(core, other.account), email);
      const scope = await signInByLink(core, email);
      await chooseAccount(scope, other.account);
      await chooseAccount({ ...scope, caller: await callerOf(core, scope.browser) }, other.account);
      const meta = { session: scope.caller.token };
      expect(await eventsOf(account)).toEqual([
        { event: 'session.create', meta },
        { event: 'session.delete', meta },
      ]);
      expect((await eventsOf(other.account)).at(-1)).toEqual({ event: 'session.create', meta });
    });

    it('when a change of the password ends it, and when the browser signs in again', async () => {
      const { email, account } = await addOwner();
      const phone = await signInByLink(core, email);
      const laptop = await signInByLink(core, email);
      await setPersonPassword(laptop, PASSWORD);
      const again = await signInByLink(core, email, laptop.browser);
      expect(await eventsOf(account)).toEqual([
        { event: 'session.create', meta: { session: phone.caller.token } },
        { event: 'session.create', meta: { session: laptop.caller.token } },
        { event: 'session.delete', meta: { session: phone.caller.token } },
        { event: 'account.update', meta: { password: 'set' } },
        { event: 'session.delete', meta: { session: laptop.caller.token } },
        { event: 'session.create', meta: { session: again.caller.token } },
      ]);
    });
  });

  it('T47: belongs to a person who is deleted a day after their last membership', async () => {
    const [owner, member] = [await addOwner(), await addOwner()];
    const guest = `guest-${member.email}`;
    await addMember(await actForAccount(core, owner.account), guest);
    await signInByLink(core, guest);
    const isKnown = async () => (await database.query('select 1 from person where email = $1', [guest])).length === 1;
    test.advance(2 * DAY);
    await deleteExpiredSignIns(core);
    expect(await isKnown()).toBe(true);
    await removeMember(await actForAccount(core, owner.account), guest);
    await deleteExpiredSignIns(core);
    expect(await isKnown()).toBe(false);
  });

  it('loses expired sessions in a job', async () => {
    const { email } = await addOwner();
    await signInByLink(core, email);
    test.advance(15 * DAY);
    await deleteExpiredSignIns(core);
    expect(await database.query('select 1 from session')).toEqual([]);
  });
});

describe('api §13: a password', () => {
  it('signs in and proves, and nothing else does', async () => {
    const { email } = await addOwner();
    const scope = await signInByLink(core, email);
    await setPersonPassword(scope, PASSWORD);
    const browser = createTestBrowser();
    await signInWithPassword(core, browser, { email: email.toUpperCase(), password: PASSWORD });
    expect(await callerOf(core, browser)).toMatchObject({ session: { email } });
    for (const [address, password] of [
      [email, 'wrong'],
      [email, ''],
      ['stranger@example.com', PASSWORD],
      [(await addOwner()).email, PASSWORD],
    ] as const)
      expect(await refusal(signInWithPassword(core, createTestBrowser(), { email: address, password }))).toMatchObject({
        code: 'authentication_failed',
        message: 'The e-mail address or the password is wrong.',
      });
    expect(await refusal(proveWithPassword(scope, 'wrong'))).toMatchObject({ code: 'authentication_failed' });
    expect(await refusal(setPersonPassword(scope, null))).toMatchObject({ details: { state: 'last_way_in' } });
    await database.query(
      `insert into identity (person_id, issuer, subject, created, used) values ($1, 'https://id.test', $1, now(), now())`,
      [scope.caller.member.person],
    );
    await setPersonPassword(scope, null);
    expect(await refusal(signInWithPassword(core, createTestBrowser(), { email, password: PASSWORD }))).toMatchObject({
      code: 'authentication_failed',
    });
  });

  it('T46: ends the other sessions of the person when it changes', async () => {
    const { email } = await addOwner();
    const [here, elsewhere] = [await signInByLink(core, email), await signInByLink(core, email)];
    await setPersonPassword(here, PASSWORD);
    expect(await callerOf(core, here.browser)).toMatchObject({ kind: 'account' });
    expect(await authenticateSession(core, elsewhere.browser.session, '')).toMatchObject({ kind: 'anonymous' });
  });

  it('T45: can be guessed 10 times in 10 minutes from an address, and succeeding costs no attempt', async () => {
    const limited = { ...core, rateLimits: { signin: { count: 10, perSeconds: 600 } } as never };
    const { email } = await addOwner();
    const scope = await signInByLink(core, email);
    await setPersonPassword(scope, PASSWORD);
    const browser = createTestBrowser({ address: '192.0.2.77' });
    const attempt = (password: string) => signInWithPassword(limited, browser, { email, password });
    for (let count = 0; count < 12; count += 1) await attempt(PASSWORD);
    for (let count = 0; count < 10; count += 1)
      expect(await refusal(attempt('wrong'))).toMatchObject({ code: 'authentication_failed' });
    expect(await refusal(attempt(PASSWORD))).toMatchObject({ code: 'rate_limit_exceeded' });
  });
});

describe('T46: operations that need a proof', () => {
  const apiOf = (scope: Awaited<ReturnType<typeof signInByLink>>) =>
    createCaller({ core, caller: scope.caller, browser: scope.browser, requestId: 'r' });
  const UNPROVEN = { cause: { code: 'forbidden', details: { prove: true } } };

  it.each([
    ['tokens.create', (api: ReturnType<typeof createCaller>) => api.tokens.create({})],
    ['tokens.delete', (api: ReturnType<typeof createCaller>) => api.tokens.delete({ token: 'a1b2c3d' })],
    ['account.delete', (api: ReturnType<typeof createCaller>) => api.account.delete({ account: 'acc-x' })],
    ['passkeys.begin', (api: ReturnType<typeof createCaller>) => api.passkeys.begin()],
    ['passkeys.delete', (api: ReturnType<typeof createCaller>) => api.passkeys.delete({ passkey: 'x' })],
    ['person.setPassword', (api: ReturnType<typeof createCaller>) => api.person.setPassword({ password: PASSWORD })],
    ['sessions.deleteOthers', (api: ReturnType<typeof createCaller>) => api.sessions.deleteOthers()],
  ])('%s is refused 10 minutes after the sign-in, and allowed after a proof', async (_, call) => {
    const { email } = await addOwner();
    const scope = await signInByLink(core, email);
    await setPersonPassword(scope, PASSWORD);
    test.advance(601);
    await expect(call(apiOf(scope))).rejects.toMatchObject(UNPROVEN);
    const before = scope.browser.session;
    await apiOf(scope).session.prove({ password: PASSWORD });
    expect(scope.browser.session).not.toBe(before);
    expect(await authenticateSession(core, before, '')).toMatchObject({ kind: 'anonymous' });
    const proven = { ...scope, caller: await callerOf(core, scope.browser) };
    expect(proven.caller.token).toBe(scope.caller.token);
    const outcome = await call(apiOf(proven)).catch((error: { cause: unknown }) => error.cause);
    expect(outcome).not.toMatchObject({ code: 'forbidden' });
  });

  it('other changes need none', async () => {
    const { email } = await addOwner();
    const scope = await signInByLink(core, email);
    test.advance(601);
    expect(await apiOf(scope).domains.put({ domain: 'proof-free.sites.test' })).toMatchObject({ status: 'success' });
  });

  it('T43: no one signs in or acts as a person without a page of the console', async () => {
    const { email } = await addOwner();
    const { caller } = await signInByLink(core, email);
    const elsewhere = createCaller({ core, caller, requestId: 'r' });
    await expect(elsewhere.sessions.list()).rejects.toMatchObject({ cause: { code: 'forbidden' } });
    const anonymous = createCaller({ core, caller: ANONYMOUS, requestId: 'r' });
    await expect(anonymous.signIn.password({ email, password: PASSWORD })).rejects.toMatchObject({
      cause: { code: 'forbidden' },
    });
    const refusing = createTestBrowser({ refusal: 'Signing in needs https.' });
    const insecure = createCaller({ core, caller: ANONYMOUS, browser: refusing, requestId: 'r' });
    await expect(insecure.signIn.password({ email, password: PASSWORD })).rejects.toMatchObject({
      cause: { code: 'forbidden', message: 'Signing in needs https.' },
    });
    expect(await insecure.session.get()).toMatchObject({ refusal: 'Signing in needs https.', signedIn: null });
  });
});
