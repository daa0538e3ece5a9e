import type { Account as WireAccount, AccountPatch } from '@berth/contract';
import type { Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockActiveAccount } from './account-lock.ts';
import { getAccount } from './accounts.ts';

/** `PATCH /account`: renames the account. @throws `forbidden` if the account is no longer active. Source: api §13. */
export async function updateAccount(scope: Scope, { name }: AccountPatch): Promise<WireAccount> {
  const { core, caller } = scope;
  await core.database.transaction(async (em) => {
    const { id: account, name: from } = await lockActiveAccount(em, caller.account);
    if (from === name) return;
    await db(em).updateTable('account').set({ name }).where('id', '=', account).execute();
    const meta = { name: { from, to: name } };
    recordActivity(em, { account, event: 'account.update', authMethod: caller.authMethod, created: core.now(), meta });
  });
  return getAccount(scope);
}
