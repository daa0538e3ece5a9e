import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { Account, Member } from '../../entities/index.ts';
import { invalid, notFound, ServiceError } from '../../errors.ts';
import { lockAccount, type LockedAccount } from './account-lock.ts';
import { refuseBeyondCap } from './caps.ts';
import { recordActivity } from '../activities/activities.ts';

const MAX_EMAIL_LENGTH = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

/** Lists the members of an account, in the order in which they were added. @throws `not_found`. Source: api §6. */
export async function listMembers(core: Core, account: string) {
  const em = core.database.em();
  if ((await em.count(Account, { id: account })) === 0) throw notFound('account');
  return (await em.find(Member, { account }, { orderBy: { id: 'asc' } })).map(toMember);
}

/**
 * Adds a member to an account. Locks the account, so that concurrent calls cannot exceed the cap.
 *
 * @param email The e-mail address. Its case does not matter.
 * @throws `validation_failed` for an invalid e-mail address; `not_found` for a missing account;
 *   `business_logic_error` if the person is already a member; `forbidden`, with `details`, at the plan's cap.
 */
export async function addMember(core: Core, account: string, email: string) {
  const address = email.trim();
  if (address.length > MAX_EMAIL_LENGTH || !EMAIL.test(address))
    throw invalid('email', 'the e-mail address must have the form "name@host"');
  return core.database.transaction(async (em) => {
    const { plan } = await lockExisting(em, account);
    if (await findMember(em, account, address))
      throw new ServiceError('business_logic_error', `${address} is already a member of this account.`, {
        details: { member: address },
      });
    refuseBeyondCap(core, plan, 'seats', await em.count(Member, { account }));
    const created = core.now();
    const accountRow = em.getReference(Account, account);
    const member = em.create(Member, { account: accountRow, email: address, role: 'member', created });
    em.persist(member);
    recordChange(em, account, created, { member: { added: address } });
    return toMember(member);
  });
}

/** Removes a member. @throws `not_found` for a missing account or member; `business_logic_error` for the owner. */
export async function removeMember(core: Core, account: string, email: string) {
  return core.database.transaction(async (em) => {
    await lockExisting(em, account);
    const member = await findMember(em, account, email.trim());
    if (!member) throw notFound('member');
    if (member.role === 'owner') {
      const message = `${member.email} is the owner of this account and cannot be removed.`;
      throw new ServiceError('business_logic_error', message, { details: { role: member.role } });
    }
    em.remove(member);
    recordChange(em, account, core.now(), { member: { removed: member.email } });
    return toMember(member);
  });
}

async function lockExisting(em: EntityManager, account: string): Promise<LockedAccount> {
  const row = await lockAccount(em, account);
  if (!row) throw notFound('account');
  return row;
}

async function findMember(em: EntityManager, account: string, email: string): Promise<Member | undefined> {
  const wantedEmail = email.toLowerCase();
  return (await em.find(Member, { account })).find((member) => member.email.toLowerCase() === wantedEmail);
}

function recordChange(em: EntityManager, account: string, created: Date, meta: Record<string, unknown>): void {
  recordActivity(em, { account, event: 'account.update', authMethod: 'operator', created, meta });
}

function toMember({ email, role, created }: Member) {
  return { email, role, created };
}
