import { randomBytes } from 'node:crypto';
import type { PasskeyOptions } from '@berth/contract';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { giveBackRateLimit, rateLimitExceeded, requireRateLimit, takeFromBucket } from '../rate-limits.ts';
import { getPerson } from './persons.ts';
import { createProof, spendProof } from './proofs.ts';
import { CHALLENGE_SECONDS, loadWebAuthn, requireRelyingParty } from './relying-party.ts';
import { openSession, renewSession } from './sessions.ts';
import type { SessionScope } from './session-scope.ts';

/** A page asks for a challenge when it opens, so that the browser can offer passkeys while a person types. */
const CHALLENGES = { count: 60, perSeconds: 600 };

/**
 * Returns the options with which the browser uses a passkey. They do not depend on a person, so they reveal no one.
 *
 * @throws `business_logic_error` where browsers have no passkeys; `rate_limit_exceeded`. Source: api §13; security T45.
 */
export async function beginPasskeySignIn(core: Core, browser: Browser): Promise<PasskeyOptions> {
  const { id: rpID } = requireRelyingParty(core);
  if (core.rateLimits) {
    const state = await takeFromBucket(core, `passkey-challenge:${browser.address}`, CHALLENGES);
    if (!state.allowed) throw rateLimitExceeded(state);
  }
  const challenge = randomBytes(32);
  const secret = challenge.toString('base64url');
  await core.database.transaction(async (em) =>
    createProof(em, core, { secret, purpose: 'passkey.use', ttlSeconds: CHALLENGE_SECONDS }),
  );
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(challenge),
    userVerification: 'required',
  });
  return { options: { ...options } };
}

/** Signs in the person of a passkey. @throws `authentication_failed`; `forbidden` as {@link openSession}. Source: api §13. */
export async function signInWithPasskey(core: Core, browser: Browser, response: { id: string }): Promise<void> {
  const person = await getPerson(core, await usePasskey(core, browser, response));
  const session = await core.database.transaction((em) =>
    openSession(em, core, browser, { person, method: 'passkey' }),
  );
  browser.keepSession(session);
}

/** Proves with a passkey that the person of a session is still the same. @throws `authentication_failed`. */
export async function proveWithPasskey(
  { core, browser, caller }: SessionScope,
  response: { id: string },
): Promise<void> {
  if ((await usePasskey(core, browser, response)) !== caller.member.person) throw unverified();
  browser.keepSession(await renewSession(core, caller.token));
}

/** Verifies what a passkey has signed, for a challenge of this server that was not used before. @returns Its person. */
async function usePasskey(core: Core, browser: Browser, response: { id: string }): Promise<string> {
  await requireRateLimit(core, 'signin', browser.address);
  const { id: expectedRPID, origin: expectedOrigin } = requireRelyingParty(core);
  const passkey = await db(core)
    .selectFrom('passkey')
    .select(['id', 'person_id as person', 'public_key as publicKey', 'counter'])
    .where('id', '=', response.id)
    .executeTakeFirst();
  if (!passkey)
    throw new ServiceError(
      'authentication_failed',
      'This passkey is not known here. It may have been removed. Sign in another way.',
    );
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verification = await verifyAuthenticationResponse({
    response: response as AuthenticationResponseJSON,
    expectedChallenge: async (challenge) => (await spendProof(core, core, 'passkey.use', challenge)) !== undefined,
    expectedOrigin,
    expectedRPID,
    credential: { id: passkey.id, publicKey: new Uint8Array(passkey.publicKey), counter: passkey.counter },
  }).catch((error: Error) => {
    throw unverified(error);
  });
  if (!verification.verified) throw unverified();
  await db(core)
    .updateTable('passkey')
    .set({ counter: verification.authenticationInfo.newCounter, used: core.now() })
    .where('id', '=', passkey.id)
    .execute();
  await giveBackRateLimit(core, 'signin', browser.address);
  return passkey.person;
}

function unverified(cause?: Error): ServiceError {
  return new ServiceError('authentication_failed', 'The passkey could not be verified. Try again.', { cause });
}
