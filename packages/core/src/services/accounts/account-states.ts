import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../../core.ts';
import { Account, type AccountState } from '../../entities/index.ts';
import { notFound } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';

/** The previous and the current state of an account. */
export interface AccountStateChange {
  from: AccountState;
  to: AccountState;
}

/**
 * Suspends, activates or terminates an account, from the next request on and in every process.
 *
 * A suspended account cannot do anything, and its sites show visitors that they are paused. A terminated account cannot
 * do anything either, and its sites are not found. Nothing is deleted, so `active` undoes both.
 *
 * @throws `not_found`. Source: api §6.
 */
export async function setAccountState(core: Core, account: string, state: AccountState): Promise<AccountStateChange> {
  return core.database.transaction(async (em) => {
    const row = await em.findOne(Account, { id: account }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!row) throw notFound('account');
    const from = row.state;
    if (from !== state) {
      row.state = state;
      recordActivity(em, {
        account,
        event: state === 'terminated' ? 'account.delete' : 'account.update',
        authMethod: 'operator',
        created: core.now(),
        meta: { state: { from, to: state } },
      });
    }
    return { from, to: state };
  });
}
