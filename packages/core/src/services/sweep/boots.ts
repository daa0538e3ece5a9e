import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';

/** Returns a new id for this boot. */
export function randomBootId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Updates the heartbeat of this process. Called once at the start, before any upload, and then regularly. Source:
 * security W4.
 */
export async function beat(core: Pick<Core, 'database' | 'boot' | 'now'>): Promise<void> {
  const now = core.now();
  await sql`
    insert into boot (id, started, heartbeat) values (${core.boot}, ${now}, ${now})
    on conflict (id) do update set heartbeat = excluded.heartbeat`.execute(core.database.kysely);
}
