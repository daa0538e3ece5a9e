import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { Account, Member } from '../../entities/index.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { lockAccount, type LockedAccount } from './account-lock.ts';
import { refuseBeyondCap } from './caps.ts';
import { recordActivity } from '../activities/activities.ts';

const MAX_EMAIL = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** A person who works in an account. */
export interface AccountMember {
  email: string;
  role: 'owner' | 'member';
  created: Date;
}

/** The members of an account, the first one first. @throws `not_found` when there is no such account. Source: contract §6. */
export async function listMembers(core: Core, account: string): Promise<AccountMember[]> {
  const em = core.database.em();
  if ((await em.count(Account, { id: account })) === 0) throw notFound('account');
  return (await em.find(Member, { account }, { orderBy: { id: 'asc' } })).map(toMember);
}

/**
 * Gives a person a seat in an account. The account row is locked, so that any number of calls at once never pass the cap.
 *
 * @param email As the person writes it; upper and lower case name the same person.
 * @throws `validation_failed` for what is no e-mail address; `not_found` when there is no such account;
 *   `business_logic_error` when the person has a seat already; `forbidden`, with `details`, at the plan's cap.
 * Source: contract §6; service-api part 8.
 */
export async function addMember(core: Core, account: string, email: string): Promise<AccountMember> {
  const address = email.trim();
  if (address.length > MAX_EMAIL || !EMAIL.test(address))
    throw invalid('email', 'must be an e-mail address such as "name@host"');
  return core.database.transaction(async (em) => {
    const { plan } = await lockExisting(em, account);
    if (await findMember(em, account, address))
      throw new ServiceError('business_logic_error', `${address} is a member of this account already.`, {
        details: { member: address },
      });
    refuseBeyondCap(core, plan, 'seats', await em.count(Member, { account }));
    const created = core.now();
    const member = em.create(Member, {
      account: em.getReference(Account, account),
      email: address,
      role: 'member',
      created,
    });
    em.persist(member);
    recordChange(em, account, created, { member: { added: address } });
    return toMember(member);
  });
}

/**
 * Takes a person's seat away.
 *
 * @throws `not_found` when there is no such account or member; `business_logic_error` for the owner, who stays.
 * Source: contract §6.
 */
export async function removeMember(core: Core, account: string, email: string): Promise<AccountMember> {
  return core.database.transaction(async (em) => {
    await lockExisting(em, account);
    const member = await findMember(em, account, email.trim());
    if (!member) throw notFound('member');
    if (member.role === 'owner')
      throw new ServiceError('business_logic_error', `${member.email} is the owner of this account and stays.`, {
        details: { role: member.role },
      });
    em.remove(member);
    recordChange(em, account, core.now(), { member: { removed: member.email } });
    return toMember(member);
  });
}

/** @throws `not_found`. */
async function lockExisting(em: EntityManager, account: string): Promise<LockedAccount> {
  const row = await lockAccount(em, account);
  if (!row) throw notFound('account');
  return row;
}

async function findMember(em: EntityManager, account: string, email: string): Promise<Member | undefined> {
  const wanted = email.toLowerCase();
  return (await em.find(Member, { account })).find((member) => member.email.toLowerCase() === wanted);
}

function recordChange(em: EntityManager, account: string, created: Date, meta: Record<string, unknown>): void {
  recordActivity(em, { account, event: 'account.update', authMethod: 'operator', created, meta });
}

function toMember({ email, role, created }: Member): AccountMember {
  return { email, role, created };
}
