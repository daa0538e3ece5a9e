import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';

/** Returns a new id for this boot. */
export function newBootId(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Updates the heartbeat of this process. Called once at the start, before any upload, and then regularly. Source:
 * storage W4.
 */
export async function recordHeartbeat(core: Pick<Core, 'database' | 'boot' | 'now'>): Promise<void> {
  const now = core.now();
  await sql`
    insert into boot (id, started, heartbeat) values (${core.boot}, ${now}, ${now})
    on conflict (id) do update set heartbeat = excluded.heartbeat`.execute(db(core));
}

/** Deletes the rows of processes that have been silent for this long and have no packs left. Source: storage W4. */
export async function deleteStoppedBoots(core: Core, bootStaleMs: number): Promise<void> {
  const silent = new Date(core.now().getTime() - bootStaleMs);
  await sql`
    delete from boot b where heartbeat <= ${silent} and id <> ${core.boot}
      and not exists (select 1 from pack p where p.boot_id = b.id)`.execute(db(core));
}
