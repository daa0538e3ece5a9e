import type { Core } from '../../core.ts';
import { db, type StatementScope } from '../../database/tables.ts';

/** The account of the operator, with its present e-mail address. */
export interface OwnerAccount {
  id: string;
  email: string;
}

/**
 * Finds the account of the owner: the one with the e-mail address of `OWNER_EMAIL`, otherwise the one that the first start created
 * with it, whose owner has changed the address since. Source: api §8.
 */
export async function findOwnerAccount(scope: StatementScope, ownerEmail: string): Promise<OwnerAccount | undefined> {
  const account = () => db(scope).selectFrom('account as a').select(['a.id', 'a.email']);
  const named = await account().where('a.email', '=', ownerEmail).executeTakeFirst();
  if (named) return named;
  return account()
    .innerJoin('activity as c', 'c.account_id', 'a.id')
    .where('c.event', '=', 'account.create')
    .where('c.meta', '@>', { owner: true, email: ownerEmail })
    .executeTakeFirst();
}

/** Returns the present e-mail address of the owner. */
export async function readOwnerEmail(core: Core): Promise<string> {
  return (await findOwnerAccount(core, core.ownerEmail))?.email ?? core.ownerEmail;
}
