import type { AccountCaller, Core } from '../core.ts';
import { db, type StatementScope } from '../database/tables.ts';
import type { AccountState } from '../entities/index.ts';
import { secretHash } from './random.ts';

const DAY_MS = 24 * 3600 * 1000;
/** A session ends when it was not used for so long. Source: api §13. */
const IDLE_MS = 14 * DAY_MS;
/** The maximum age of a session. Source: api §13. */
export const MAX_SESSION_MS = 90 * DAY_MS;
const SEEN_PRECISION_MS = 60_000;

/** When a session ends that was created at one time and is used at another. */
export function sessionExpires(created: Date, seen: Date): Date {
  return new Date(Math.min(created.getTime() + MAX_SESSION_MS, seen.getTime() + IDLE_MS));
}

/** A row of {@link FIND_SESSION}. */
export interface SessionRow {
  id: string;
  account: string;
  plan: string;
  state: AccountState;
  stateReason: string | null;
  person: string;
  email: string;
  role: 'owner' | 'member';
  proved: Date;
  created: Date;
  seen: Date;
}

/**
 * The statement that finds a session by the hash of its secret, `$1`, at the time `$2`. A session ends with the membership. `client`
 * is the account that pays for its requests.
 */
export const FIND_SESSION = `
  select s.id, s.account_id as account, a.plan, a.state, a.state_reason as "stateReason", s.person_id as person, p.email, m.role,
    s.proved, s.created, s.seen, a.id as client
  from session s
  join account a on a.id = s.account_id
  join person p on p.id = s.person_id
  join member m on m.account_id = s.account_id and m.person_id = s.person_id
  where s.secret_hash = $1 and s.expires > $2`;

/**
 * Returns the caller of a session, also of an account that is not active; `undefined` if the session has ended.
 *
 * @param secret The value of the cookie. Source: api §13; security T43, T46.
 */
export async function findSession(core: Core, secret: string): Promise<AccountCaller | undefined> {
  const now = core.now();
  const [row] = await core.database.prepared<SessionRow>(FIND_SESSION, [secretHash(secret), now]);
  return row && sessionCallerOf(core, row, now);
}

/** Returns the caller that a row of {@link FIND_SESSION} describes, and records that the session was used. */
export async function sessionCallerOf(core: Core, row: SessionRow, now: Date): Promise<AccountCaller> {
  if (now.getTime() - row.seen.getTime() > SEEN_PRECISION_MS) await markSeen(core, row, now);
  const { account, plan, person, email, role, proved, state, stateReason } = row;
  return {
    kind: 'account',
    account,
    plan,
    credential: 'session',
    token: row.id,
    member: { person, role },
    session: { email, proved, standing: { state, stateReason } },
    authMethod: 'session',
    used: row.seen,
  };
}

/** Records that a session was used, which extends it. Only one of several concurrent requests writes. */
async function markSeen(core: Core, { id, created, seen }: SessionRow, now: Date): Promise<void> {
  await db(core)
    .updateTable('session')
    .set({ seen: now, expires: sessionExpires(created, now) })
    .where('id', '=', id)
    .where('seen', '=', seen)
    .execute();
}

/** Reads the session of a caller again: when it ends, and the state of its account. */
export function sessionOf(scope: StatementScope, core: Core, { account, token }: AccountCaller) {
  return db(scope)
    .selectFrom('session as s')
    .innerJoin('account as a', 'a.id', 's.account_id')
    .innerJoin('member as m', (join) =>
      join.onRef('m.account_id', '=', 's.account_id').onRef('m.person_id', '=', 's.person_id'),
    )
    .select(['a.state', 'a.state_reason as stateReason', 's.expires'])
    .where('s.id', '=', token)
    .where('s.account_id', '=', account)
    .where('s.expires', '>', core.now());
}
