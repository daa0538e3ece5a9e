import { PROOF_SECONDS, type SessionAccount, type SessionState } from '@berth/contract';
import type { Browser, Caller, Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound } from '../../errors.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { lockAccounts, moveSession } from './ended-sessions.ts';
import { canUsePasskeys } from './relying-party.ts';
import type { SessionCaller, SessionScope } from './session-scope.ts';

/** Returns who is signed in, and how people can sign in. Source: api §13. */
export async function readSessionState(core: Core, browser: Browser, caller: Caller): Promise<SessionState> {
  return {
    methods: {
      passkey: canUsePasskeys(core),
      password: true,
      code: core.signIn.mailer !== null,
      oidc: core.signIn.provider?.name ?? null,
    },
    signUp: core.signIn.signUp !== null,
    refusal: browser.refusal,
    anonymous: core.anonymousDeploys
      ? { ...core.plans.anonymous.limits, blockedExtensions: [...core.blockedExtensions] }
      : null,
    signedIn: isSession(caller) ? await readSignedIn(core, caller) : null,
  };
}

/** Whether a person who is signed in to the console sends the request. */
export function isSession(caller: Caller): caller is SessionCaller {
  return caller.kind === 'account' && caller.session !== undefined;
}

async function readSignedIn(core: Core, caller: SessionCaller): Promise<SessionState['signedIn']> {
  const { person: id, role } = caller.member;
  const { email, proved, standing } = caller.session;
  const row = await db(core)
    .selectFrom('person as p')
    .innerJoin('session as s', 's.person_id', 'p.id')
    .select(['p.name', 's.method'])
    .select(({ eb, selectFrom, fn }) => [
      eb('p.password_hash', 'is not', null).as('hasPassword'),
      selectFrom('passkey').select(fn.countAll<number>().as('count')).whereRef('person_id', '=', 'p.id').as('passkeys'),
      selectFrom('identity')
        .select(fn.countAll<number>().as('count'))
        .whereRef('person_id', '=', 'p.id')
        .as('identities'),
    ])
    .where('s.id', '=', caller.token)
    .executeTakeFirstOrThrow();
  return {
    session: caller.token,
    method: row.method,
    person: { id, email, name: row.name },
    account: caller.account,
    accountState: standing.state,
    accountStateReason: standing.stateReason,
    role,
    accounts: await listAccounts(core, id),
    provenUntil: toUnixSeconds(proved) + PROOF_SECONDS,
    hasPassword: Boolean(row.hasPassword),
    passkeys: Number(row.passkeys),
    identities: Number(row.identities),
  };
}

async function listAccounts(core: Core, person: string): Promise<SessionAccount[]> {
  return db(core)
    .selectFrom('member as m')
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select(['a.id as account', 'a.email', 'a.name', 'm.role'])
    .where('m.person_id', '=', person)
    .where('a.state', '=', 'active')
    .orderBy('m.id')
    .execute();
}

/** Lets a session act for another account of its person. @throws `not_found`. Source: api §13. */
export async function chooseAccount({ core, caller }: SessionScope, account: string): Promise<void> {
  const accounts = await listAccounts(core, caller.member.person);
  if (!accounts.some((each) => each.account === account)) throw notFound('account');
  await core.database.transaction(async (em) => {
    await lockAccounts(em, [caller.account, account]);
    await moveSession(em, core, caller, account);
  });
}
