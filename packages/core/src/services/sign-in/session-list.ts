import type { BrowserSession } from '@berth/contract';
import type { Browser, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { secretHash } from '../random.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { endOtherSessions, endSessions, lockAccounts, lockAccountsOf, selectSessions } from './ended-sessions.ts';
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
  const ended = await end(core, (rows) => rows.where('s.id', '=', session).where('s.person_id', '=', person));
  if (ended === 0) throw notFound('session');
}

/** Ends all sessions of the person but this one. @returns How many ended. Source: api §13; security T46. */
export function deleteOtherSessions({ core, caller }: SessionScope): Promise<number> {
  return core.database.transaction(async (em) => {
    await lockAccountsOf(em, caller.member.person);
    return endOtherSessions(em, core, caller);
  });
}

/** Signs the browser out. Without a session, only removes its cookie. Source: api §13. */
export async function endSession(core: Core, browser: Browser): Promise<void> {
  const { session } = browser;
  if (session !== null) await end(core, (rows) => rows.where('s.secret_hash', '=', secretHash(session)));
  browser.keepSession(null);
}

type Sessions = ReturnType<typeof selectSessions>;

async function end(core: Core, select: (sessions: Sessions) => Sessions): Promise<number> {
  return core.database.transaction(async (em) => {
    const sessions = await select(selectSessions(em)).execute();
    await lockAccounts(
      em,
      sessions.map(({ account }) => account),
    );
    return endSessions(em, core, sessions);
  });
}
