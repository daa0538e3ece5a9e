import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { AccountState } from '../../entities/index.ts';
import { ServiceError } from '../../errors.ts';

/** What of an account counts while it is locked. */
export interface LockedAccount {
  id: string;
  plan: string;
  state: AccountState;
  /** Live deployments, as counted. */
  deployments: number;
  /** Bytes stored: never too few, and exactly those when `storageExact`. */
  storageBytes: number;
  storageExact: boolean;
}

/**
 * Locks an account row until the transaction ends; always before rows of deployments and domains.
 *
 * @returns The account; `null` when there is none. Source: security §5, L4.
 */
export async function lockAccount(em: EntityManager, account: string): Promise<LockedAccount | null> {
  const { rows } = await sql<LockedAccount>`
    select id, plan, state, deployment_count as deployments, storage_bytes::float8 as "storageBytes",
      storage_exact as "storageExact"
    from account where id = ${account} for update`.execute(em.getKysely());
  return rows[0] ?? null;
}

/** As {@link lockAccount}. @throws `forbidden` when the account is no longer active. */
export async function lockActiveAccount(em: EntityManager, account: string): Promise<LockedAccount> {
  const row = await lockAccount(em, account);
  if (row?.state !== 'active') throw new ServiceError('forbidden', `This account is ${row?.state ?? 'gone'}.`);
  return row;
}
