import type { AuthMethod, Email, Member as WireMember, MemberList, MemberRole } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { AccountCaller, Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Account, Member, Person } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { lockAccount, type LockedAccount } from './account-lock.ts';
import { refuseBeyondCap } from './caps.ts';
import { recordActivity } from '../activities/activities.ts';

const MEMBER_ID = /^mem-([1-9]\d{0,14})$/;

/** `GET /account/members`: the members of the account, in the order in which they joined. Source: api §13. */
export async function listMembers({ core, caller }: Scope): Promise<z.infer<typeof MemberList>> {
  const rows = await core.database.em().find(Member, { account: caller.account }, { orderBy: { id: 'asc' } });
  return { members: rows.map(toMember) };
}

/**
 * Adds a member to the account of the caller. Locks the account, so that concurrent calls cannot exceed the cap.
 *
 * @param email The e-mail address. Its case does not matter.
 * @throws `business_logic_error` if the person is already a member; `forbidden`, with `details`, at the plan's cap.
 *   Source: api §6; security T26.
 */
export async function addMember(scope: Scope, email: z.output<typeof Email>): Promise<WireMember> {
  const { core, caller } = scope;
  return core.database.transaction(async (em) => {
    const account = await lockExisting(em, caller.account);
    await refuseMember(em, account.id, email);
    return toMember(await insertMember(em, core, account, { email, role: 'member', authMethod: caller.authMethod }));
  });
}

/**
 * Makes a person a member of a locked account, in the caller's transaction. If the operator has added the person by the e-mail
 * address, the person gets that membership.
 *
 * @throws `business_logic_error` if the person is a member; `forbidden`, with `details`, at the plan's cap. Source: api §13.
 */
export async function joinAccount(
  em: EntityManager,
  core: Core,
  account: LockedAccount,
  { person, role }: { person: { id: string; email: string }; role: MemberRole },
): Promise<void> {
  const reference = em.getReference(Person, person.id);
  const added = await findMember(em, account.id, person.email);
  // Not the row of an owner who has not signed in yet: an invitation must not make its guest the owner.
  if (added?.person === null && added.role === role) added.person = reference;
  else {
    const isMember = added ?? (await em.findOne(Member, { account: account.id, person: person.id }));
    if (isMember) throw alreadyMember(person.email);
    await insertMember(em, core, account, { email: person.email, person: reference, role, authMethod: 'session' });
  }
  await em.flush();
}

interface NewMember {
  email: string;
  role: MemberRole;
  person?: Person;
  authMethod: AuthMethod;
}

async function insertMember(
  em: EntityManager,
  core: Core,
  { id: account, plan }: LockedAccount,
  { email, role, person, authMethod }: NewMember,
): Promise<Member> {
  refuseBeyondCap(core, plan, 'seats', await em.count(Member, { account }));
  const created = core.now();
  const member = em.create(Member, {
    account: em.getReference(Account, account),
    person: person ?? null,
    email,
    role,
    created,
  });
  em.persist(member);
  await em.flush();
  const meta = { member: memberIdOf(member), email, role };
  recordActivity(em, { account, event: 'member.create', authMethod, created, meta });
  return member;
}

/** @throws `business_logic_error` if a person with the e-mail address is a member. */
export async function refuseMember(em: EntityManager, account: string, email: string): Promise<void> {
  if (await findMember(em, account, email)) throw alreadyMember(email);
}

function alreadyMember(email: string): ServiceError {
  return new ServiceError('business_logic_error', `${email} is already a member of this account.`, {
    details: { member: email },
  });
}

/**
 * `DELETE /account/members/{member}`: removes a member. The credentials that the member made, and the sessions of the
 * member in this account, end in the same transaction.
 *
 * @param member The id or the e-mail address of the member.
 * @throws `forbidden` unless the owner acts; `not_found`; `business_logic_error` for the owner. Source: api §13.
 */
export async function removeMember({ core, caller }: Scope, member: string): Promise<WireMember> {
  requireOwner(caller);
  const { account, authMethod } = caller;
  return core.database.transaction(async (em) => {
    await lockExisting(em, account);
    const row = await findMember(em, account, member.trim());
    if (!row) throw notFound('member');
    if (row.role === 'owner') {
      const message = `${row.email} is the owner of this account and cannot be removed.`;
      throw new ServiceError('business_logic_error', message, { details: { role: row.role } });
    }
    const removed = toMember(row);
    if (row.person) await endCredentials(em, account, row.person.id);
    em.remove(row);
    const meta = { member: removed.member, email: row.email };
    recordActivity(em, { account, event: 'member.delete', authMethod, created: core.now(), meta });
    return removed;
  });
}

/** @throws `forbidden` unless the caller acts as the owner of the account. Source: api §13. */
export function requireOwner({ member }: AccountCaller): void {
  if (member !== null && member.role !== 'owner')
    throw new ServiceError('forbidden', 'Only the owner of the account can do this. Ask the owner.');
}

async function endCredentials(em: EntityManager, account: string, person: string): Promise<void> {
  for (const table of ['token', 'session'] as const)
    await db(em).deleteFrom(table).where('account_id', '=', account).where('person_id', '=', person).execute();
}

async function lockExisting(em: EntityManager, account: string): Promise<LockedAccount> {
  const row = await lockAccount(em, account);
  if (!row) throw notFound('account');
  return row;
}

async function findMember(em: EntityManager, account: string, reference: string): Promise<Member | null> {
  const [, id] = MEMBER_ID.exec(reference) ?? [];
  if (id !== undefined) return em.findOne(Member, { account, id: Number(id) });
  const email = reference.toLowerCase();
  return (await em.find(Member, { account })).find((member) => member.email.toLowerCase() === email) ?? null;
}

function memberIdOf({ id }: Pick<Member, 'id'>): string {
  return `mem-${id}`;
}

function toMember(row: Member): WireMember {
  return { member: memberIdOf(row), email: row.email, role: row.role, created: toUnixSeconds(row.created) };
}
