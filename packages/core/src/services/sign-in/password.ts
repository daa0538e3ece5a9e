import { createHmac } from 'node:crypto';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { hashOfNoPassword, hashPassword, renewHash, verifyPassword } from '../passwords.ts';
import { recordActivity } from '../activities/activities.ts';
import { giveBackRateLimit, requireRateLimit, takeFromBucket, rateLimitExceeded } from '../rate-limits.ts';
import { findPerson, getPerson, type KnownPerson } from './persons.ts';
import { openSession, renewSession } from './sessions.ts';
import { endOtherSessions, lockAccountsOf } from './ended-sessions.ts';
import type { SessionScope } from './session-scope.ts';
import { requireWayIn } from './way-in.ts';

/** The rate limit of a person for all addresses together, as a multiple of the limit for one address. */
const PERSON_FACTOR = 10;

/**
 * Signs a person in with a password. Wrong passwords, unknown addresses and persons without a password get the same answer after
 * the same work. Failed attempts count against the address, and all attempts for one e-mail address together.
 *
 * @throws `authentication_failed`; `rate_limit_exceeded`; `unavailable` if too many passwords are being hashed; `forbidden` as
 *   {@link openSession}. Source: api §13; security T45.
 */
export async function signInWithPassword(
  core: Core,
  browser: Browser,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await countAttempt(core, browser.address, email.toLowerCase());
  const person = await findPerson(core, email);
  if (!(await isPasswordOf(core, { person, email, password })) || person === undefined)
    throw new ServiceError('authentication_failed', 'The e-mail address or the password is wrong.');
  await giveBackRateLimit(core, 'signin', browser.address);
  const session = await core.database.transaction((em) =>
    openSession(em, core, browser, { person, method: 'password' }),
  );
  browser.keepSession(session);
}

/** Proves with the password that the person of a session is still the same. @throws as {@link signInWithPassword}. */
export async function proveWithPassword({ core, browser, caller }: SessionScope, password: string): Promise<void> {
  const { person } = caller.member;
  const { email } = caller.session;
  await countAttempt(core, browser.address, email);
  if (!(await isPasswordOf(core, { person: await getPerson(core, person), email, password })))
    throw new ServiceError('authentication_failed', 'The password is wrong.');
  await giveBackRateLimit(core, 'signin', browser.address);
  browser.keepSession(await renewSession(core, caller.token));
}

async function countAttempt(core: Core, address: string, email: string): Promise<void> {
  await requireRateLimit(core, 'signin', address);
  if (!core.rateLimits) return;
  const { count, perSeconds } = core.rateLimits.signin;
  const limit = { count: count * PERSON_FACTOR, perSeconds };
  const state = await takeFromBucket(core, `person-signin:${email}`, limit);
  if (!state.allowed) throw rateLimitExceeded(state);
}

/**
 * Returns a hash that no password has, for an address without a password. Each address has its own salt: the memory accesses of
 * argon2id depend on the salt, so a salt that many addresses shared could be recognized by its time. Source: security T45.
 */
function decoyHash({ keys }: Core, email: string): string {
  return hashOfNoPassword(createHmac('sha256', keys.code).update(`decoy\0${email.toLowerCase()}`).digest());
}

/** Takes the same time for a person without a password. Renews a hash with old parameters. */
async function isPasswordOf(
  core: Core,
  { person, email, password }: { person: KnownPerson | undefined; email: string; password: string },
): Promise<boolean> {
  const stored = person?.passwordHash ?? null;
  if (!(await verifyPassword(password, stored ?? decoyHash(core, email))) || stored === null) return false;
  const renewed = await renewHash(password, stored);
  if (renewed !== null)
    await db(core)
      .updateTable('person')
      .set({ password_hash: renewed })
      .where('id', '=', person!.id)
      .where('password_hash', '=', stored)
      .execute();
  return true;
}

/**
 * Sets or removes the password of the person. All their other sessions end.
 *
 * @throws `unavailable` if too many passwords are being hashed; `business_logic_error` if the person could then no longer sign in.
 *   Source: api §13; security T46.
 */
export async function setPersonPassword({ core, caller }: SessionScope, password: string | null): Promise<void> {
  const passwordHash = password === null ? null : await hashPassword(password);
  await core.database.transaction(async (em) => {
    const { person } = caller.member;
    const { email } = caller.session;
    await lockAccountsOf(em, person);
    await db(em).updateTable('person').set({ password_hash: passwordHash }).where('id', '=', person).execute();
    if (password === null) await requireWayIn(em, core, email);
    await endOtherSessions(em, core, caller);
    const meta = { email, password: password === null ? 'removed' : 'set' };
    const { account } = caller;
    recordActivity(em, { account, event: 'account.update', authMethod: 'session', created: core.now(), meta });
  });
}
