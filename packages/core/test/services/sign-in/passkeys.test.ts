import { createAuthenticator } from '@berth/testing/authenticator';
import { callerOf, createTestBrowser, refusal, refusals, signInByLink, useTestCore } from '@berth/testing/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerAccount } from '../../../src/services/accounts/account-directory.ts';
import { authenticateSession } from '../../../src/services/authentication.ts';
import {
  beginPasskeySignIn,
  proveWithPasskey,
  signInWithPasskey,
} from '../../../src/services/sign-in/passkey-sign-in.ts';
import {
  beginPasskey,
  createPasskey,
  deletePasskey,
  listPasskeys,
  MAX_PASSKEYS,
} from '../../../src/services/sign-in/passkeys.ts';
import { canUsePasskeys } from '../../../src/services/sign-in/relying-party.ts';
import type { SessionScope } from '../../../src/services/sign-in/session-scope.ts';

const test = await useTestCore();
const { core, database } = test;
const ORIGIN = 'https://api.test';

let people = 0;
let scope: SessionScope;
let email: string;
beforeEach(async () => {
  email = `joan${(people += 1)}@example.com`;
  await registerAccount(core, { email, plan: 'team' });
  scope = await signInByLink(core, email);
});

/** Adds a passkey to the person of this test. */
async function addPasskey(of = scope) {
  const authenticator = createAuthenticator(ORIGIN);
  const { options } = await beginPasskey(of);
  await createPasskey(of, { name: 'Laptop', response: authenticator.create(options) });
  return authenticator;
}

const signIn = async (
  authenticator: ReturnType<typeof createAuthenticator>,
  changes = {},
  browser = createTestBrowser(),
) => {
  const { options } = await beginPasskeySignIn(core, browser);
  await signInWithPasskey(core, browser, authenticator.get(options, changes));
  return browser;
};

describe('api §13: a passkey', () => {
  it('signs its person in, is listed with its last use, and is recorded', async () => {
    const authenticator = await addPasskey();
    expect(await callerOf(core, await signIn(authenticator))).toMatchObject({ session: { email } });
    expect(await listPasskeys(scope)).toEqual({
      passkeys: [{ passkey: authenticator.id, name: 'Laptop', created: expect.any(Number), used: expect.any(Number) }],
    });
    const activities = await database.query(
      `select event, meta->>'email' as email from activity where account_id = $1 order by id desc limit 2`,
      [scope.caller.account],
    );
    expect(activities).toEqual([
      { event: 'session.create', email },
      { event: 'passkey.create', email },
    ]);
  });

  it.each([
    ['of another site', { origin: 'https://evil.test' }],
    ['for another host', { rpId: 'evil.test' }],
    ['without a PIN or a finger', { verified: false }],
    ['for an unknown challenge', { challenge: 'AAAA' }],
    ['with a counter that goes back', { counter: 1 }],
  ])('T43: does not sign in with a response %s', async (_, changes) => {
    const authenticator = await addPasskey();
    await signIn(authenticator, { counter: 5 });
    const error = await refusal(signIn(authenticator, changes));
    expect(error).toMatchObject({
      code: 'authentication_failed',
      message: 'The passkey could not be verified. Try again.',
    });
  });

  it.each([
    ['of another site', { origin: 'https://evil.test' }],
    ['for another host', { rpId: 'evil.test' }],
    ['without a PIN or a finger', { verified: false }],
    ['for an unknown challenge', { challenge: 'AAAA' }],
  ])('T43: is not added with a response %s', async (_, changes) => {
    const { options } = await beginPasskey(scope);
    const response = createAuthenticator(ORIGIN).create(options, changes);
    expect(await refusal(createPasskey(scope, { name: 'Laptop', response }))).toMatchObject({
      code: 'validation_failed',
    });
    expect(await listPasskeys(scope)).toEqual({ passkeys: [] });
  });

  it('T44: signs in one of 40 concurrent uses of one response', async () => {
    const authenticator = await addPasskey();
    const { options } = await beginPasskeySignIn(core, createTestBrowser());
    const response = authenticator.get(options);
    const refused = await refusals(
      Array.from({ length: 40 }, () => signInWithPasskey(core, createTestBrowser(), response)),
    );
    expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 39 }, () => 'authentication_failed'));
  });

  it('T47: is added only for the person who asked for the options', async () => {
    const { options } = await beginPasskey(scope);
    await registerAccount(core, { email: `other-${email}`, plan: 'team' });
    const other = await signInByLink(core, `other-${email}`);
    const response = createAuthenticator(ORIGIN).create(options);
    expect(await refusal(createPasskey(other, { name: 'Mine', response }))).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('is added once', async () => {
    const authenticator = await addPasskey();
    const { options } = await beginPasskey(scope);
    const response = authenticator.create(options);
    expect(await refusal(createPasskey(scope, { name: 'Again', response }))).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('expires as an offer after 10 minutes', async () => {
    const authenticator = await addPasskey();
    const { options } = await beginPasskeySignIn(core, createTestBrowser());
    test.advance(601);
    expect(await refusal(signInWithPasskey(core, createTestBrowser(), authenticator.get(options)))).toMatchObject({
      code: 'authentication_failed',
    });
  });

  it('T46: does not sign in after it was removed, and removing it ends the other sessions', async () => {
    const authenticator = await addPasskey();
    const elsewhere = await signIn(authenticator);
    await deletePasskey(scope, authenticator.id);
    expect(await authenticateSession(core, elsewhere.session, '')).toMatchObject({ kind: 'anonymous' });
    expect(await callerOf(core, scope.browser)).toMatchObject({ session: { email } });
    expect(await refusal(signIn(authenticator))).toMatchObject({ code: 'authentication_failed' });
    expect(await refusal(deletePasskey(scope, authenticator.id))).toMatchObject({ code: 'not_found' });
  });

  it('T46: proves its own person only', async () => {
    const authenticator = await addPasskey();
    await registerAccount(core, { email: `third-${email}`, plan: 'team' });
    const third = await signInByLink(core, `third-${email}`);
    const respond = async () => authenticator.get((await beginPasskeySignIn(core, scope.browser)).options);
    expect(await refusal(proveWithPasskey(third, await respond()))).toMatchObject({ code: 'authentication_failed' });
    test.advance(601);
    await proveWithPasskey(scope, await respond());
    const { session } = await callerOf(core, scope.browser);
    expect(core.now().getTime() - session.proved.getTime()).toBeLessThan(60_000);
  });

  it('of a person is one of at most 20', async () => {
    for (let count = 0; count < MAX_PASSKEYS; count += 1) await addPasskey();
    expect(await refusal(beginPasskey(scope))).toMatchObject({ code: 'business_logic_error', details: { limit: 20 } });
  });

  it('T45: gets options that do not depend on a person', async () => {
    const { options } = await beginPasskeySignIn(core, createTestBrowser());
    expect(options).toMatchObject({ rpId: 'api.test', userVerification: 'required' });
    expect(options['allowCredentials'] ?? []).toEqual([]);
  });
});

it.each([
  ['https://berth.example.com', true],
  ['http://localhost:4000', true],
  ['http://berth.localhost', true],
  ['http://berth.home', false],
  ['http://192.168.1.20:4000', false],
  ['https://192.168.1.20', false],
  ['https://[2001:db8::1]', false],
])('api §13: at %s passkeys are offered: %s', (console, isOffered) => {
  expect(canUsePasskeys({ addresses: { ...core.addresses, console } })).toBe(isOffered);
});
