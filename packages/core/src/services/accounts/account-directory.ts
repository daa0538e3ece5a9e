import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import type { Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { Account, type AccountState } from '../../entities/index.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { createAccount, insertApiKey, type NewAccount, readScheduledPlan } from './accounts.ts';
import { endOfPeriod } from './billing-periods.ts';
import { lockAccount } from './account-lock.ts';
import { toUnixSeconds } from '../timestamps.ts';
import { recordActivity } from '../activities/activities.ts';

/** Creates an account. @returns Its id. @throws `business_logic_error` if the e-mail address is in use. Source: api §8. */
export async function registerAccount(core: Core, account: NewAccount): Promise<string> {
  try {
    return await core.database.transaction(async (em) => createAccount(em, core, account));
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new ServiceError('business_logic_error', `${account.email} already has an account.`, {
      details: { email: account.email },
      cause: error,
    });
  }
}

/** Returns the billing of an account and its scheduled downgrade. Times are in Unix seconds. @throws `not_found`. */
export async function getBilling(core: Core, account: string) {
  const em = core.database.em();
  const row = await em.findOne(Account, { id: account });
  if (!row) throw notFound('account');
  return {
    state: row.state,
    stateReason: row.stateReason ?? null,
    period: row.period,
    periodEnds: toUnixSeconds(endOfPeriod(row.periodStarted, row.period, core.now())),
    scheduled: await readScheduledPlan(em, account),
  };
}

/** Lets the operator act for an account, given its id or its e-mail address (case does not matter). @throws `not_found`. */
export async function actForAccount(core: Core, reference: string): Promise<Scope> {
  const row = await db(core)
    .selectFrom('account')
    .select(['id as account', 'plan'])
    .where(({ eb, or, fn, val }) =>
      or([eb('id', '=', reference), eb(fn<string>('lower', ['email']), '=', fn<string>('lower', [val(reference)]))]),
    )
    .orderBy((eb) => eb('id', '=', reference), 'desc')
    .orderBy((eb) => eb('email', '=', reference), 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw notFound(`account: ${reference}`);
  return {
    core,
    caller: { kind: 'account', ...row, credential: 'api', token: '', member: null, authMethod: 'operator', used: null },
  };
}

/** Creates an API key for an account. @returns The key, which is not stored. Source: api §8. */
export async function createApiKey(core: Core, account: string): Promise<string> {
  return core.database.transaction(async (em) => {
    await lockAccount(em, account);
    return insertApiKey(em, core, account);
  });
}

/**
 * Suspends, activates or terminates an account, from the next request on and in every process.
 *
 * A suspended account cannot do anything, and its sites show visitors that they are paused. A terminated account cannot
 * do anything either, and its sites are not found. Nothing is deleted, so `active` undoes both.
 *
 * @param options.reason Why, for the members of the account. It replaces the reason of the same state, if it is given.
 * @returns The previous and the new state, and whether anything changed. @throws `not_found`. Source: api §6.
 */
export async function setAccountState(
  core: Core,
  account: string,
  state: AccountState,
  { reason }: { reason?: string | undefined } = {},
) {
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw notFound('account');
    const from = row.state;
    const changed = from !== state || (reason !== undefined && reason !== row.stateReason);
    if (changed) {
      row.state = state;
      row.stateReason = reason ?? null;
      const event = state === 'terminated' ? 'account.delete' : 'account.update';
      const meta = { state: { from, to: state }, ...(reason !== undefined && { reason }) };
      recordActivity(em, { account, event, authMethod: 'operator', created: core.now(), meta });
    }
    return { from, to: state, changed };
  });
}
