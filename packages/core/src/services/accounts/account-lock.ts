import type { EntityManager } from '@mikro-orm/postgresql';
import { ServiceError } from '../../errors.ts';
import { db } from '../../database/tables.ts';
import { requireActiveAccount } from '../inactive-account.ts';

/** The fields of an account that cannot change while the account is locked. */
export type LockedAccount = Awaited<ReturnType<typeof lockActiveAccount>>;

/**
 * Locks an account until the transaction ends. A transaction must lock the account before deployments and domains.
 * Returns `undefined` if the account is missing. Source: storage L4.
 */
export async function lockAccount(em: EntityManager, account: string) {
  return db(em)
    .selectFrom('account')
    .select(['id', 'plan', 'name', 'state', 'state_reason as stateReason', 'deployment_count as deployments'])
    .select(['storage_bytes as storageBytes', 'storage_exact as storageExact'])
    .where('id', '=', account)
    .forUpdate()
    .executeTakeFirst();
}

/** Like {@link lockAccount}. @throws `forbidden` if the account is no longer active. */
export async function lockActiveAccount(em: EntityManager, account: string) {
  const row = await lockAccount(em, account);
  if (!row) throw accountDeleted();
  requireActiveAccount(row);
  return row;
}

/** Returns the error of a request whose account was deleted after its credential was checked. */
export function accountDeleted(): ServiceError {
  return new ServiceError('forbidden', 'This account was deleted.');
}
