import { callerOf, createTestBrowser, refusal, refusals, signInByLink, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core.ts';
import type { Mail } from '../../../src/mail/mailer.ts';
import { actForAccount, registerAccount } from '../../../src/services/accounts/account-directory.ts';
import { addMember } from '../../../src/services/accounts/members.ts';
import { authenticateSession } from '../../../src/services/authentication.ts';
import { proveWithCode, signInWithCode } from '../../../src/services/sign-in/code-sign-in.ts';
import { requestCode } from '../../../src/services/sign-in/codes.ts';
import { openSession } from '../../../src/services/sign-in/sessions.ts';
import { setPersonPassword, signInWithPassword } from '../../../src/services/sign-in/password.ts';

const sent: Mail[] = [];
const mailer = { send: async (mail: Mail) => void sent.push(mail), close: () => {} };
const test = await useTestCore({ signIn: { mailer, provider: null, signUp: null } });
const { core, database } = test;
const openCore: Core = { ...core, signIn: { mailer, provider: null, signUp: { plan: 'free' } } };

let people = 0;
let email: string;
beforeEach(async () => {
  sent.length = 0;
  email = `mary${(people += 1)}@example.com`;
});

/** Asks for a code. @returns The code, or `undefined` if no e-mail was sent. */
async function codeFor(address: string, browser = createTestBrowser(), within = core): Promise<string | undefined> {
  const work: (() => Promise<void>)[] = [];
  await requestCode(within, { ...browser, afterResponse: (each) => void work.push(each) }, { email: address });
  expect(sent).toEqual([]);
  for (const each of work) await each();
  return /\b\d{6}\b/.exec(sent.splice(0).at(-1)?.text ?? '')?.[0];
}
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('api §13: a code by e-mail', () => {
  it('signs a member in once, in the browser that asked for it', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const browser = createTestBrowser();
    const code = (await codeFor(email.toUpperCase(), browser))!;
    expect(await refusal(signInWithCode(core, createTestBrowser(), code))).toMatchObject({
      code: 'authentication_failed',
    });
    const stranger = createTestBrowser();
    await codeFor('stranger@example.com', stranger);
    expect(await refusal(signInWithCode(core, stranger, code))).toMatchObject({ code: 'authentication_failed' });
    const { proof } = browser;
    await signInWithCode(core, browser, code);
    expect(browser.proof).toBeNull();
    expect(await callerOf(core, browser)).toMatchObject({ session: { email } });
    expect(await refusal(signInWithCode(core, { ...browser, proof }, code))).toMatchObject({
      code: 'authentication_failed',
    });
  });

  it('T44: signs in one of 40 concurrent uses, and is entered at most 5 times', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const browser = createTestBrowser();
    const code = (await codeFor(email, browser))!;
    const uses = Array.from({ length: 40 }, () => signInWithCode(core, { ...browser }, code));
    expect(await refusals(uses)).toHaveLength(39);

    const guessing = createTestBrowser();
    const other = (await codeFor(email, guessing))!;
    await refusals(Array.from({ length: 40 }, () => signInWithCode(core, guessing, wrong(other))));
    expect(await database.query('select tries from proof order by created desc limit 1')).toEqual([{ tries: 5 }]);
    expect(await refusal(signInWithCode(core, guessing, other))).toMatchObject({ code: 'authentication_failed' });
  });

  it('counts down the tries, and works on the fifth', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const browser = createTestBrowser();
    const code = (await codeFor(email, browser))!;
    for (const left of ['4 more times', '3 more times', '2 more times', '1 more time'])
      expect((await refusal(signInWithCode(core, browser, wrong(code)))).message).toBe(
        `The code is wrong. You can try ${left}.`,
      );
    await signInWithCode(core, browser, code);
  });

  it('expires after 10 minutes', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const browser = createTestBrowser();
    const code = (await codeFor(email, browser))!;
    test.advance(601);
    expect(await refusal(signInWithCode(core, browser, code))).toMatchObject({ code: 'authentication_failed' });
  });

  it('T44: is stored as an HMAC', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const browser = createTestBrowser();
    const code = (await codeFor(email, browser))!;
    const rows = JSON.stringify(await database.query('select p::text as row from proof p'));
    expect(rows).not.toContain(code);
    expect(rows).not.toContain(browser.proof);
  });

  it('T45: is sent only to people who can sign in, and the answer does not show it', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const [known, unknown] = [createTestBrowser(), createTestBrowser()];
    expect(await codeFor(email, known)).toMatch(/^\d{6}$/);
    expect(await codeFor('unknown@example.com', unknown)).toBeUndefined();
    expect(unknown.proof).toMatch(/^[0-9a-f]{32}$/);
    const messages = await Promise.all(
      [known, unknown].map((browser) => refusal(signInWithCode(core, browser, '000000'))),
    );
    expect(messages[0]!.message).toBe(messages[1]!.message);
  });

  it.each(['a@b@example.com', '"a b"@example.com', 'a,b@example.com', 'a@example.com>', 'a;b@example.com'])(
    'is not sent to %s, which mail servers could read as another address',
    async (address) => {
      expect(await codeFor(address, createTestBrowser(), openCore)).toBeUndefined();
    },
  );

  it('is sent 3 times an hour to one address', async () => {
    const limited = { ...core, rateLimits: { signin: { count: 100, perSeconds: 600 } } as never };
    await registerAccount(core, { email, plan: 'free' });
    for (let count = 0; count < 3; count += 1) await codeFor(email, createTestBrowser(), limited);
    for (const address of [email, email.toUpperCase()])
      expect(await refusal(requestCode(limited, createTestBrowser(), { email: address }))).toMatchObject({
        code: 'rate_limit_exceeded',
      });
    test.advance(3600 / 3);
    await codeFor(email, createTestBrowser(), limited);
  });

  it('is not offered without a mail server', async () => {
    const mute = { ...core, signIn: { mailer: null, provider: null, signUp: null } };
    expect(await refusal(requestCode(mute, createTestBrowser(), { email }))).toMatchObject({
      code: 'business_logic_error',
    });
  });

  it('that cannot be sent is logged without the code and the address', async () => {
    await registerAccount(core, { email, plan: 'free' });
    const lines: unknown[][] = [];
    const log = { ...core.log, warn: (...line: unknown[]) => void lines.push(line) };
    const failing = { ...mailer, send: () => Promise.reject(new Error('connection refused')) };
    await codeFor(email, createTestBrowser(), {
      ...core,
      log,
      signIn: { mailer: failing, provider: null, signUp: null },
    });
    expect(lines).toEqual([[{ err: expect.any(Error) }, 'A sign-in code was not sent']]);
  });

  it('T46: proves its own person only', async () => {
    await registerAccount(core, { email, plan: 'free' });
    await registerAccount(core, { email: `other-${email}`, plan: 'free' });
    const scope = await signInByLink(core, email);
    test.advance(601);
    const otherCode = (await codeFor(`other-${email}`, scope.browser))!;
    expect(await refusal(proveWithCode(scope, otherCode))).toMatchObject({ code: 'authentication_failed' });
    await proveWithCode(scope, (await codeFor(email, scope.browser))!);
    expect(core.now().getTime() - (await callerOf(core, scope.browser)).session.proved.getTime()).toBeLessThan(60_000);
  });
});

describe('T47: a person whose address was never proved', () => {
  it('loses passkeys, password and sessions with the first proof, which someone else may have added', async () => {
    const { email: owner } = { email: `owner-${email}` };
    const account = await registerAccount(core, { email: owner, plan: 'team' });
    await addMember(await actForAccount(core, account), email);
    const planted = await signInByLink(core, email);
    await setPersonPassword(planted, 'planted by an attacker');
    await database.query('update person set verified = null where email = $1', [email]);
    const browser = createTestBrowser();
    await signInWithCode(core, browser, (await codeFor(email, browser))!);
    expect(await authenticateSession(core, planted.browser.session, '')).toMatchObject({ kind: 'anonymous' });
    const attack = { email, password: 'planted by an attacker' };
    expect(await refusal(signInWithPassword(core, createTestBrowser(), attack))).toMatchObject({
      code: 'authentication_failed',
    });
    expect(await callerOf(core, browser)).toMatchObject({ session: { email } });
  });

  it('is not the member that was added with this address', async () => {
    const account = await registerAccount(core, { email: `owner-${email}`, plan: 'team' });
    await addMember(await actForAccount(core, account), email);
    await database.query(`insert into person (id, email, created) values ($1, $2, now())`, [`per-${email}`, email]);
    await database.query(`update member set person_id = null where email = $1`, [email]);
    const person = { id: `per-${email}`, email, passwordHash: null, verified: null };
    const opening = core.database.transaction((em) =>
      openSession(em, core, createTestBrowser(), { person, method: 'password' }),
    );
    expect(await refusal(opening)).toMatchObject({ code: 'forbidden' });
  });
});

describe('api §13: with SIGN_UP=on', () => {
  it('a code opens an account of the default plan, once, and returns to the page that the person came from', async () => {
    const browser = createTestBrowser();
    const work: (() => Promise<void>)[] = [];
    const asking = {
      ...browser,
      keepProof: browser.keepProof,
      afterResponse: (each: () => Promise<void>) => void work.push(each),
    };
    await requestCode(openCore, asking, { email, back: '/claim/abc' });
    await work[0]!();
    const code = /\b\d{6}\b/.exec(sent.at(-1)!.text)![0];
    sent.length = 0;
    expect(await signInWithCode(openCore, browser, code)).toBe('/claim/abc');
    const { account } = await callerOf(openCore, browser);
    expect(await database.query('select email, plan from account where id = $1', [account])).toEqual([
      { email, plan: 'free' },
    ]);
    expect(
      await database.query('select event, auth_method from activity where account_id = $1 order by id', [account]),
    ).toEqual([
      { event: 'account.create', auth_method: 'session' },
      { event: 'session.create', auth_method: 'session' },
    ]);
    const again = createTestBrowser();
    await signInWithCode(openCore, again, (await codeFor(email, again, openCore))!);
    expect(await callerOf(openCore, again)).toMatchObject({ account, member: { role: 'owner' } });
  });

  it('two browsers of one person open one account', async () => {
    const browsers = [createTestBrowser(), createTestBrowser()];
    const codes: string[] = [];
    for (const browser of browsers) codes.push((await codeFor(email, browser, openCore))!);
    await Promise.allSettled(browsers.map((browser, index) => signInWithCode(openCore, browser, codes[index]!)));
    expect(await database.query('select 1 from account where email = $1', [email])).toHaveLength(1);
  });
});
