import type { BrowserSession } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { recordActivity } from '../activities/activities.ts';
import { secretHash } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import type { SessionScope } from './session-scope.ts';

/** Lists the browsers in which the person is signed in, the last used first. Source: api §13. */
export async function listSessions({ core, caller }: SessionScope): Promise<{ sessions: BrowserSession[] }> {
  const rows = await db(core)
    .selectFrom('session')
    .select(['id', 'method', 'account_id as account', 'created', 'seen', 'agent', 'address'])
    .where('person_id', '=', caller.member.person)
    .where('expires', '>', core.now())
    .orderBy('seen', 'desc')
    .orderBy('id')
    .execute();
  return {
    sessions: rows.map(({ id, created, seen, ...row }) => ({
      ...row,
      session: id,
      current: id === caller.token,
      created: toUnixSeconds(created),
      seen: toUnixSeconds(seen),
    })),
  };
}

/** Ends a session of the person, from the next request on. @throws `not_found`. Source: api §13; security T46. */
export async function deleteSession({ core, caller }: SessionScope, session: string): Promise<void> {
  const { person } = caller.member;
  const ended = await endSessions(core, (row) => row.id === session && row.person === person, person);
  if (ended === 0) throw notFound('session');
}

/** Ends all sessions of the person but this one. @returns How many ended. Source: api §13; security T46. */
export function deleteOtherSessions({ core, caller }: SessionScope): Promise<number> {
  return endSessions(core, (row) => row.id !== caller.token, caller.member.person);
}

/** Signs the browser out. Without a session, only removes its cookie. Source: api §13. */
export async function endSession(core: Core, browser: Browser): Promise<void> {
  const { session } = browser;
  if (session !== null) {
    const row = await db(core)
      .selectFrom('session')
      .select(['id', 'person_id as person'])
      .where('secret_hash', '=', secretHash(session))
      .executeTakeFirst();
    if (row) await endSessions(core, ({ id }) => id === row.id, row.person);
  }
  browser.keepSession(null);
}

interface EndedSession {
  id: string;
  person: string;
}

/** Ends those sessions of a person for which `isEnded` returns true, with one activity for each account. */
async function endSessions(core: Core, isEnded: (row: EndedSession) => boolean, person: string): Promise<number> {
  return core.database.transaction(async (em) => {
    const rows = await db(em)
      .selectFrom('session as s')
      .innerJoin('person as p', 'p.id', 's.person_id')
      .select(['s.id', 's.person_id as person', 's.account_id as account', 'p.email'])
      .where('s.person_id', '=', person)
      .execute();
    let ended = 0;
    for (const [account, sessions] of byAccount(rows.filter(isEnded))) {
      if (!(await lockAccount(em, account))) continue;
      const { numDeletedRows } = await db(em)
        .deleteFrom('session')
        .where(
          'id',
          'in',
          sessions.map(({ id }) => id),
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) continue;
      ended += Number(numDeletedRows);
      recordEnd(
        em,
        core,
        account,
        sessions[0]!.email,
        sessions.map(({ id }) => id),
      );
    }
    return ended;
  });
}

/** Groups sessions by account. Accounts are in order, because transactions lock them in this order. */
function byAccount<T extends { account: string }>(rows: readonly T[]): [string, T[]][] {
  const groups = Object.groupBy(rows, ({ account }) => account) as Record<string, T[]>;
  return Object.entries(groups).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function recordEnd(em: EntityManager, core: Core, account: string, email: string, sessions: readonly string[]): void {
  const meta = sessions.length === 1 ? { session: sessions[0], email } : { count: sessions.length, email };
  recordActivity(em, { account, event: 'session.delete', authMethod: 'session', created: core.now(), meta });
}
