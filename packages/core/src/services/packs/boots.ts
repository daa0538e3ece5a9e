import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';

/** A new id for this run of the process. */
export function randomBootId(): string {
  return randomBytes(8).toString('hex');
}

/** Says that this process lives: once at the start, before anything is uploaded, and then again and again. Source: security W4. */
export async function beat(core: Pick<Core, 'database' | 'boot' | 'now'>): Promise<void> {
  const now = core.now();
  await sql`
    insert into boot (id, started, heartbeat) values (${core.boot}, ${now}, ${now})
    on conflict (id) do update set heartbeat = excluded.heartbeat`.execute(core.database.kysely);
}
