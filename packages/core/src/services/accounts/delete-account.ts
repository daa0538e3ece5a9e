import type { DeletedAccount } from '@berth/contract';
import type { Core, Scope } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { recordActivity } from '../activities/activities.ts';
import { lockAccount } from './account-lock.ts';
import { requireOwner } from './members.ts';

/**
 * `DELETE /account`: deletes the account of the caller with everything that it owns: deployments, domains, credentials,
 * members and activities. Its sites are not found from the next request on, and its credentials are invalid. The sweep
 * removes the bytes. It cannot be undone.
 *
 * @param account The id of the account, as a confirmation.
 * @throws `not_found` if it is not the account of the caller; `forbidden` unless the owner acts; `business_logic_error` for
 *   the account of `OWNER_EMAIL`. Source: api §13.
 */
export async function deleteAccount({ core, caller }: Scope, account: string): Promise<DeletedAccount> {
  if (account !== caller.account) throw notFound('account');
  requireOwner(caller);
  await core.database.transaction(async (em) => {
    if (!(await lockAccount(em, account))) throw notFound('account');
    await refuseOwner(core, account);
    // Subscribers of the activities receive this notification, and end because their credential is gone.
    recordActivity(em, { account, event: 'account.delete', authMethod: caller.authMethod, created: core.now() });
    await em.flush();
    await db(em).deleteFrom('domain').where('account_id', '=', account).execute();
    await db(em).deleteFrom('upload').where('account_id', '=', account).execute();
    await db(em)
      .selectFrom('deployment')
      .select('id')
      .where('account_id', '=', account)
      .orderBy('id')
      .forUpdate()
      .execute();
    await db(em).deleteFrom('deployment').where('account_id', '=', account).execute();
    await db(em).deleteFrom('account').where('id', '=', account).execute();
  });
  core.log.info({ account, authMethod: caller.authMethod }, 'An account was deleted');
  return { account };
}

/** Without the account of the owner, the next start would create another one with the same e-mail address. */
async function refuseOwner(core: Core, account: string): Promise<void> {
  const owner = await db(core)
    .selectFrom('account')
    .select('id')
    .where('id', '=', account)
    .where('email', '=', core.ownerEmail)
    .executeTakeFirst();
  if (!owner) return;
  throw new ServiceError(
    'business_logic_error',
    'The account of OWNER_EMAIL belongs to the operator and cannot be deleted. Set OWNER_EMAIL to another account first.',
    { details: { account } },
  );
}
