import type { InviteTarget } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Browser, Caller, CallingMember, Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { lockActiveAccount } from '../accounts/account-lock.ts';
import { joinAccount } from '../accounts/members.ts';
import { secretHash } from '../random.ts';
import { requireRateLimit } from '../rate-limits.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { canSignIn, ensurePerson, findPerson, getPerson, type KnownPerson } from './persons.ts';
import { isSession } from './session-state.ts';
import { openSession } from './sessions.ts';
import { lockAccounts, moveSession } from './ended-sessions.ts';

/** A request of a page of the console. */
interface BrowserScope {
  core: Core;
  browser: Browser;
  caller: Caller;
}

/** Returns what an invitation is for, without accepting it. @throws `not_found`; `rate_limit_exceeded`. Source: api §13. */
export async function readInvite({ core, browser }: BrowserScope, secret: string): Promise<InviteTarget> {
  await requireRateLimit(core, 'signin', browser.address);
  const invite = await findInvite(core, core, secret);
  if (!invite) throw unknownInvite();
  const { account, name, owner, email, expires } = invite;
  return { account, name, owner, email, expires: toUnixSeconds(expires) };
}

/**
 * Makes a person a member of the account that invites them, and lets the session of the browser act for it. Who is not signed in
 * becomes a new person. The invitation works once, and the seat is counted under the lock of the account.
 *
 * @param email The e-mail address of a new person, if the invitation names none.
 * @throws `not_found` if the invitation was used, deleted or has expired; `business_logic_error` if the person must first sign in
 *   or out, or is a member; `validation_failed` without an e-mail address; `forbidden`, with `details`, if all seats are taken;
 *   `rate_limit_exceeded`. Source: api §6, §13; security T26, T44, T47.
 */
export async function acceptInvite(
  { core, browser, caller }: BrowserScope,
  { secret, email }: { secret: string; email?: string | undefined },
): Promise<void> {
  await requireRateLimit(core, 'signin', browser.address);
  const signedIn = isSession(caller) ? caller : null;
  const member = signedIn?.member ?? null;
  const newSecret = await core.database.transaction(async (em) => {
    const found = await findInvite(em, core, secret);
    if (!found) throw unknownInvite();
    if (signedIn) await lockAccounts(em, [signedIn.account, found.account]);
    const account = await lockActiveAccount(em, found.account);
    const invite = await spendInvite(em, core, secret);
    if (!invite) throw unknownInvite();
    const person = member
      ? await requireInvited(em, member, invite.email)
      : await findNewPerson(em, core, invite.email ?? email);
    await joinAccount(em, core, account, { person, role: invite.role });
    if (!signedIn) return openSession(em, core, browser, { person, method: 'invite' });
    await moveSession(em, core, signedIn, account.id);
    return null;
  });
  if (newSecret !== null) browser.keepSession(newSecret);
}

async function findInvite(scope: StatementScope, core: Core, secret: string) {
  return db(scope)
    .selectFrom('invite as i')
    .innerJoin('account as a', 'a.id', 'i.account_id')
    .select(['i.account_id as account', 'a.name', 'a.email as owner', 'i.email', 'i.expires'])
    .where('i.secret_hash', '=', secretHash(secret))
    .where('i.expires', '>', core.now())
    .where('a.state', '=', 'active')
    .executeTakeFirst();
}

/** Deletes an invitation and returns it. Of many concurrent calls one gets it. */
async function spendInvite(em: EntityManager, core: Core, secret: string) {
  return db(em)
    .deleteFrom('invite')
    .where('secret_hash', '=', secretHash(secret))
    .where('expires', '>', core.now())
    .returning(['email', 'role'])
    .executeTakeFirst();
}

async function requireInvited(em: EntityManager, member: CallingMember, invited: string | null): Promise<KnownPerson> {
  const person = await getPerson(em, member.person);
  if (invited === null || invited === person.email) return person;
  const message = `The invitation is for ${invited}, and you are signed in as ${person.email}. Sign out, and open the link again.`;
  throw new ServiceError('business_logic_error', message, { details: { state: 'other_person' } });
}

/** Who has a way to sign in must use it: a link that the owner made proves no person. Source: security T47. */
async function findNewPerson(em: EntityManager, core: Core, email: string | null | undefined): Promise<KnownPerson> {
  if (!email) throw invalid('email', 'your e-mail address must be given');
  const known = await findPerson(em, email);
  if (known && ((await canSignIn(em, email)) || (await isAnywhereMember(em, known.id)))) {
    const message = `${known.email} has signed in here before. Sign in, and open the link again.`;
    throw new ServiceError('business_logic_error', message, { details: { state: 'known_person' } });
  }
  return known ?? ensurePerson(em, core, email);
}

async function isAnywhereMember(em: EntityManager, person: string): Promise<boolean> {
  const row = await db(em).selectFrom('member').select('id').where('person_id', '=', person).executeTakeFirst();
  return row !== undefined;
}

function unknownInvite(): ServiceError {
  return notFound('invitation: it was accepted, deleted or has expired. Ask the owner of the account for another one');
}
