import type { SignInMethod } from '@berth/contract';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Browser, Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';
import { Account, Person, Session } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import { inactiveText } from '../inactive-account.ts';
import { recordActivity } from '../activities/activities.ts';
import { randomSecret, randomSuffix, secretHash } from '../random.ts';
import { MAX_SESSION_MS, sessionExpires } from '../session-credential.ts';
import { endSessions, lockAccounts, selectSessions } from './ended-sessions.ts';
import { type KnownPerson, linkMemberships } from './persons.ts';

/** The maximum number of sessions of a person. A further one ends the one that was not used for the longest time. */
const MAX_SESSIONS = 50;
const MAX_AGENT_LENGTH = 256;

interface NewSession {
  person: KnownPerson;
  method: SignInMethod;
  /** When the person proved who they are. Default: now. */
  proved?: Date;
  /** The id of a further session of the browser that ends. Default: none. */
  replaces?: string | null;
}

/**
 * Signs a person in, in the caller's transaction. The session acts for the account that the person used last, otherwise for the
 * account that they own. The browser gets a new secret, and its earlier session ends.
 *
 * @returns The secret, which the browser must get after the commit.
 * @throws `forbidden` if the person is no member of an active account. Source: api §13; security T43, T46.
 */
export async function openSession(
  em: EntityManager,
  core: Core,
  browser: Pick<Browser, 'agent' | 'address' | 'session'>,
  { person, method, proved, replaces = null }: NewSession,
): Promise<string> {
  if (person.verified !== null) await linkMemberships(em, person);
  const account = await chooseAccount(em, person);
  const ending = await findEnding(em, browser, { person: person.id, replaces });
  await lockAccounts(em, [account, ...ending.map((each) => each.account)]);
  await endSessions(em, core, ending);
  const secret = randomSecret();
  const id = `ses-${randomSuffix()}`;
  const created = core.now();
  em.persist(
    em.create(Session, {
      id,
      secretHash: secretHash(secret),
      person: em.getReference(Person, person.id),
      account: em.getReference(Account, account),
      method,
      created,
      seen: created,
      proved: proved ?? created,
      expires: sessionExpires(created, created),
      agent: browser.agent.slice(0, MAX_AGENT_LENGTH),
      address: browser.address,
    }),
  );
  const meta = { session: id, method, email: person.email };
  recordActivity(em, { account, event: 'session.create', authMethod: 'session', created, meta });
  return secret;
}

async function chooseAccount(em: EntityManager, { id, email }: KnownPerson): Promise<string> {
  const memberships = await db(em)
    .selectFrom('member as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.state', 'a.state_reason as stateReason', 'm.role'])
    .select(({ selectFrom }) =>
      selectFrom('session as s')
        .select((seen) => seen.fn.max('s.seen').as('seen'))
        .whereRef('s.account_id', '=', 'm.account_id')
        .whereRef('s.person_id', '=', 'm.person_id')
        .as('seen'),
    )
    .where('m.person_id', '=', id)
    .orderBy('seen', (order) => order.desc().nullsLast())
    .orderBy('m.role', 'desc')
    .orderBy('m.id')
    .execute();
  const active = memberships.find(({ state }) => state === 'active');
  if (active) return active.id;
  const [inactive] = memberships;
  throw new ServiceError(
    'forbidden',
    inactive ? inactiveText(inactive) : `${email} has no account here. Ask the owner of an account for an invitation.`,
  );
}

/** Returns the sessions that end: those of the browser, and those for which the person has no room. */
async function findEnding(
  em: EntityManager,
  browser: Pick<Browser, 'session'>,
  { person, replaces }: { person: string; replaces: string | null },
) {
  const hash = browser.session === null ? null : secretHash(browser.session);
  return selectSessions(em)
    .where(({ or, eb, selectFrom }) =>
      or([
        eb('s.secret_hash', '=', hash),
        eb('s.id', '=', replaces),
        eb(
          's.id',
          'in',
          selectFrom('session')
            .select('id')
            .where('person_id', '=', person)
            .orderBy('seen', 'desc')
            .offset(MAX_SESSIONS - 1),
        ),
      ]),
    )
    .execute();
}

/**
 * Records that the person of a session has proved again who they are. The session gets a new secret.
 *
 * @returns The secret, which the browser must get. @throws `authentication_failed` if the session has ended meanwhile.
 * Source: api §13; security T46.
 */
export async function renewSession(core: Core, session: string, scope: StatementScope = core): Promise<string> {
  const secret = randomSecret();
  const { numUpdatedRows } = await db(scope)
    .updateTable('session')
    .set({ secret_hash: secretHash(secret), proved: core.now() })
    .where('id', '=', session)
    .where('expires', '>', core.now())
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new ServiceError('authentication_failed', 'The session has ended. Sign in again.');
  return secret;
}

/** The lifetime of the cookie of a session, in seconds. */
export const SESSION_COOKIE_SECONDS = MAX_SESSION_MS / 1000;
