import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { db } from '../../database/tables.ts';

/** The id of the advisory lock of the fence. */
export const FENCE_LOCK_ID = 7_212_010;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Enters the fence, a lock that is held until the transaction ends. A transaction that adds a reference to a pack holds the
 * fence shared; a transaction that removes contents holds it exclusively. So a content that a deploy has found cannot
 * be removed before the deploy commits. Source: storage L2.
 */
export async function enterFence(em: EntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${FENCE_LOCK_ID})`.execute(db(em));
}

/**
 * Takes the fence exclusively, for the rest of the transaction.
 *
 * @param waitMs How long to wait for deploys that hold the fence; 0 to return at once.
 * @returns False if deploys still hold the fence. Source: storage W1.
 */
export async function tryCloseFence(em: EntityManager, waitMs: number): Promise<boolean> {
  if (waitMs > 0) return waitForFence(em, waitMs);
  const { rows } = await sql<{ closed: boolean }>`select pg_try_advisory_xact_lock(${FENCE_LOCK_ID}) as closed`.execute(
    db(em),
  );
  return rows[0]?.closed ?? false;
}

async function waitForFence(em: EntityManager, waitMs: number): Promise<boolean> {
  await sql`savepoint outside`.execute(db(em));
  await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(db(em));
  try {
    await sql`select pg_advisory_xact_lock(${FENCE_LOCK_ID})`.execute(db(em));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    await sql`rollback to savepoint outside`.execute(db(em));
    return false;
  }
}
