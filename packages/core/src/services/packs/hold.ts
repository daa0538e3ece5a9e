import { sql } from 'kysely';
import type { Client } from 'pg';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';

const HOLD_LOCK_ID = 7_212_011;

/**
 * Keeps the files of all packs that are sealed now, until {@link releasePacks} or the end of the session, also by a crash.
 * Take the hold before the snapshot whose packs must stay. Several sessions can hold packs at the same time. Deploys,
 * deletions and the other steps of the sweep do not wait. Source: storage W6.
 */
export async function holdPacks(session: Client): Promise<void> {
  await session.query('select pg_advisory_lock_shared($1)', [HOLD_LOCK_ID]);
}

/** Ends the hold of a session. */
export async function releasePacks(session: Client): Promise<void> {
  await session.query('select pg_advisory_unlock_shared($1)', [HOLD_LOCK_ID]);
}

/** Whether any session holds packs. The lock of the question itself ends with the statement. */
export async function arePacksHeld(core: Core): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${HOLD_LOCK_ID}) as free`.execute(
    db(core),
  );
  return !rows[0]!.free;
}
