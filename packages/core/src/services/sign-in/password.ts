import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { ServiceError } from '../../errors.ts';
import { hashPassword, renewHash, verifyPassword } from '../passwords.ts';
import { giveBackRateLimit, requireRateLimit, takeFromBucket, rateLimitExceeded } from '../rate-limits.ts';
import { deleteSessions } from '../session-credential.ts';
import { findPerson, getPerson, type KnownPerson } from './persons.ts';
import { openSession, renewSession } from './sessions.ts';
import type { SessionScope } from './session-scope.ts';

/** The rate limit of a person for all addresses together, as a multiple of the limit for one address. */
const PERSON_FACTOR = 10;

let decoy: Promise<string> | undefined;

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
  if (!(await isPasswordOf(core, person, password)) || person === undefined)
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
  if (!(await isPasswordOf(core, await getPerson(core, person), password)))
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

function decoyHash(): Promise<string> {
  decoy ??= hashPassword('a password that no person has').catch((error: unknown) => {
    decoy = undefined;
    throw error;
  });
  return decoy;
}

/** Takes the same time for a person without a password. Renews a hash with old parameters. */
async function isPasswordOf(core: Core, person: KnownPerson | undefined, password: string): Promise<boolean> {
  const stored = person?.passwordHash ?? null;
  if (!(await verifyPassword(password, stored ?? (await decoyHash()))) || stored === null) return false;
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
 * @throws `unavailable` if too many passwords are being hashed. Source: api §13; security T46.
 */
export async function setPersonPassword({ core, caller }: SessionScope, password: string | null): Promise<void> {
  const passwordHash = password === null ? null : await hashPassword(password);
  await core.database.transaction(async (em) => {
    const { person } = caller.member;
    await db(em).updateTable('person').set({ password_hash: passwordHash }).where('id', '=', person).execute();
    await deleteSessions(em, person, { except: caller.token });
  });
}
