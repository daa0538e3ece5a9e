import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { db } from '../../database/tables.ts';

/**
 * Makes the further statements of a transaction find rows by indexes, so that they read only what concerns a few packs. Without
 * current statistics, PostgreSQL would read whole tables instead.
 */
export async function readByIndex(em: EntityManager): Promise<void> {
  const settings = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
  await sql`select set_config(name, 'off', true) from unnest(${settings}::text[]) as setting (name)`.execute(db(em));
}
