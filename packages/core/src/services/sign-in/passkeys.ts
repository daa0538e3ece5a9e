import { randomBytes } from 'node:crypto';
import type { Passkey as WirePasskey, PasskeyOptions, PasskeyRequest } from '@berth/contract';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { z } from 'zod';
import { db } from '../../database/tables.ts';
import { Passkey, Person } from '../../entities/index.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { createProof, spendProof } from './proofs.ts';
import { ALGORITHMS, CHALLENGE_SECONDS, loadWebAuthn, requireRelyingParty } from './relying-party.ts';
import { endOtherSessions, lockAccountsOf } from './ended-sessions.ts';
import type { SessionScope } from './session-scope.ts';
import { requireWayIn } from './way-in.ts';

/** The maximum number of passkeys of a person. */
export const MAX_PASSKEYS = 20;
const MAX_TRANSPORTS = 8;

/** Lists the passkeys of the person, oldest first. Source: api §13. */
export async function listPasskeys({ core, caller }: SessionScope): Promise<{ passkeys: WirePasskey[] }> {
  const rows = await core.database
    .em()
    .find(Passkey, { person: caller.member.person }, { orderBy: { created: 'asc', id: 'asc' } });
  return { passkeys: rows.map(toPasskey) };
}

/** Returns the options with which the browser creates a passkey. @throws `business_logic_error`. Source: api §13. */
export async function beginPasskey({ core, caller }: SessionScope): Promise<PasskeyOptions> {
  const { id: rpID } = requireRelyingParty(core);
  const { person } = caller.member;
  const { email } = caller.session;
  const rows = await core.database.em().find(Passkey, { person });
  refuseTooMany(rows.length);
  const challenge = randomBytes(32);
  const secret = challenge.toString('base64url');
  await core.database.transaction(async (em) =>
    createProof(em, core, { secret, purpose: 'passkey.add', person, ttlSeconds: CHALLENGE_SECONDS }),
  );
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Berth',
    rpID,
    userName: email,
    userDisplayName: email,
    userID: new Uint8Array(Buffer.from(person)),
    challenge: new Uint8Array(challenge),
    attestationType: 'none',
    excludeCredentials: rows.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: [...ALGORITHMS],
  });
  return { options: { ...options } };
}

/**
 * Adds the passkey that the browser has created.
 *
 * @throws `validation_failed` if it cannot be verified, was created for other options, or exists already.
 * Source: api §13; security T43.
 */
export async function createPasskey(
  scope: SessionScope,
  { name, response }: z.output<typeof PasskeyRequest>,
): Promise<WirePasskey> {
  const { core, caller } = scope;
  const { id, publicKey, counter, transports = [] } = await verifyNew(scope, response);
  const { person } = caller.member;
  const { email } = caller.session;
  return core.database.transaction(async (em) => {
    await lockAccount(em, caller.account);
    refuseTooMany(await em.count(Passkey, { person }));
    if ((await em.count(Passkey, { id })) > 0) throw invalid('response', 'this passkey was added before');
    const created = core.now();
    const passkey = em.create(Passkey, {
      id,
      person: em.getReference(Person, person),
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transports.slice(0, MAX_TRANSPORTS),
      name,
      created,
      used: null,
    });
    em.persist(passkey);
    const meta = { name, email };
    recordActivity(em, { account: caller.account, event: 'passkey.create', authMethod: 'session', created, meta });
    return toPasskey(passkey);
  });
}

async function verifyNew({ core, caller }: SessionScope, response: object) {
  const { id: expectedRPID, origin: expectedOrigin } = requireRelyingParty(core);
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verification = await verifyRegistrationResponse({
    response: response as RegistrationResponseJSON,
    expectedChallenge: async (challenge) =>
      (await spendProof(core, core, 'passkey.add', challenge))?.person === caller.member.person,
    expectedOrigin,
    expectedRPID,
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch((error: Error) => {
    throw new ServiceError('validation_failed', 'response: the passkey could not be verified; try again', {
      cause: error,
    });
  });
  if (!verification.verified) throw invalid('response', 'the passkey could not be verified; try again');
  return verification.registrationInfo.credential;
}

/**
 * Removes a passkey. All other sessions of the person end.
 *
 * @throws `not_found`; `business_logic_error` if the person could then no longer sign in. Source: api §13; security T46.
 */
export async function deletePasskey({ core, caller }: SessionScope, id: string): Promise<{ passkey: string }> {
  const { person } = caller.member;
  const { email } = caller.session;
  return core.database.transaction(async (em) => {
    await lockAccountsOf(em, person);
    const deleted = await db(em)
      .deleteFrom('passkey')
      .where('id', '=', id)
      .where('person_id', '=', person)
      .returning('name')
      .executeTakeFirst();
    if (!deleted) throw notFound('passkey');
    await requireWayIn(em, core, email);
    await endOtherSessions(em, core, caller);
    const meta = { name: deleted.name, email };
    recordActivity(em, {
      account: caller.account,
      event: 'passkey.delete',
      authMethod: 'session',
      created: core.now(),
      meta,
    });
    return { passkey: id };
  });
}

function refuseTooMany(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new ServiceError('business_logic_error', `A person can have ${MAX_PASSKEYS} passkeys. Remove one first.`, {
      details: { limit: MAX_PASSKEYS },
    });
}

function toPasskey({ id, name, created, used }: Passkey): WirePasskey {
  return { passkey: id, name, created: toUnixSeconds(created), used: used ? toUnixSeconds(used) : null };
}
