import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountState } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';
import { db } from '../../database/tables.ts';

/** The fields of an account that are valid while it is locked. */
export interface LockedAccount {
  id: string;
  plan: string;
  state: AccountState;
  /** The number of live deployments. */
  deployments: number;
  /** The number of stored bytes: an upper bound, exact if `storageExact`. */
  storageBytes: number;
  storageExact: boolean;
}

/**
 * Locks an account row until the transaction ends. Must come before the locks of deployments and domains.
 *
 * @returns The account; `null` if it is missing. Source: storage L4.
 */
export async function lockAccount(em: EntityManager, account: string): Promise<LockedAccount | null> {
  const row = await db(em)
    .selectFrom('account')
    .select(['id', 'plan', 'state', 'deployment_count as deployments'])
    .select(['storage_bytes as storageBytes', 'storage_exact as storageExact'])
    .where('id', '=', account)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Like {@link lockAccount}. @throws `forbidden` if the account is no longer active. */
export async function lockActiveAccount(em: EntityManager, account: string): Promise<LockedAccount> {
  const row = await lockAccount(em, account);
  if (row?.state !== 'active') throw new ServiceError('forbidden', `This account is ${row?.state ?? 'gone'}.`);
  return row;
}
