import type { EntityManager } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import type { SessionCaller } from './session-scope.ts';

/** A session that ends. */
interface EndingSession {
  id: string;
  account: string;
  email: string;
}

/** Selects sessions, and the e-mail addresses of their persons. */
export function selectSessions(scope: StatementScope) {
  return db(scope)
    .selectFrom('session as s')
    .innerJoin('person as p', 'p.id', 's.person_id')
    .select(['s.id', 's.account_id as account', 'p.email']);
}

/** Locks accounts that exist, in the order in which all transactions lock them. */
export async function lockAccounts(em: EntityManager, accounts: readonly string[]): Promise<void> {
  for (const account of [...new Set(accounts)].toSorted()) await lockAccount(em, account);
}

/** Locks the accounts of a person, and of their sessions, before a change of the person. @returns The accounts. */
export async function lockAccountsOf(em: EntityManager, person: string): Promise<string[]> {
  const memberships = await db(em)
    .selectFrom('member')
    .select('account_id as account')
    .where('person_id', '=', person)
    .execute();
  const sessions = await selectSessions(em).where('s.person_id', '=', person).execute();
  const accounts = memberships.map(({ account }) => account);
  await lockAccounts(em, [...accounts, ...sessions.map(({ account }) => account)]);
  return accounts.toSorted();
}

/**
 * Ends sessions in the caller's transaction, which must have locked their accounts, with one activity for each account.
 *
 * @returns How many ended. Source: api §13; security T46.
 */
export async function endSessions(em: EntityManager, core: Core, sessions: readonly EndingSession[]): Promise<number> {
  if (sessions.length === 0) return 0;
  const ids = sessions.map(({ id }) => id);
  const deleted = await db(em).deleteFrom('session').where('id', 'in', ids).returning('id').execute();
  const deletedIds = new Set(deleted.map(({ id }) => id));
  const ended = sessions.filter(({ id }) => deletedIds.has(id));
  const groups = Object.groupBy(ended, ({ account }) => account) as Record<string, EndingSession[]>;
  for (const [account, rows] of Object.entries(groups)) {
    const [{ id, email }] = rows as [EndingSession];
    const meta = rows.length === 1 ? { session: id, email } : { count: rows.length, email };
    recordActivity(em, { account, event: 'session.delete', authMethod: 'session', created: core.now(), meta });
  }
  return ended.length;
}

/** Ends all sessions of the person but that of the caller, as {@link endSessions} does. */
export async function endOtherSessions(
  em: EntityManager,
  core: Core,
  { member, token }: SessionCaller,
): Promise<number> {
  const others = selectSessions(em).where('s.person_id', '=', member.person).where('s.id', '!=', token);
  return endSessions(em, core, await others.execute());
}

/** Lets the session of the caller act for another account, in the caller's transaction, which must have locked both accounts. */
export async function moveSession(em: EntityManager, core: Core, caller: SessionCaller, to: string): Promise<void> {
  const { token: session, account: from } = caller;
  if (from === to) return;
  const { method } = await db(em)
    .updateTable('session')
    .set({ account_id: to })
    .where('id', '=', session)
    .returning('method')
    .executeTakeFirstOrThrow();
  const { email } = caller.session;
  const common = { authMethod: 'session', created: core.now() } as const;
  recordActivity(em, { account: from, event: 'session.delete', ...common, meta: { session, email } });
  recordActivity(em, { account: to, event: 'session.create', ...common, meta: { session, method, email } });
}
