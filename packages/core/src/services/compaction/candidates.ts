import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { sampledPacks } from '../packs/sampled-packs.ts';

/** How long a pack waits that could not be rewritten, so that it does not delay others. */
const PAUSE_MS = 60 * 60 * 1000;

/** Returns candidates that are due, the longest overdue first. Source: storage C1. */
export async function dueCandidates(core: Core, limit: number): Promise<string[]> {
  const { rows } = await sql<{ pack: string }>`
    select pack_id as pack from compaction_candidate where due <= now() order by due limit ${limit}`.execute(
    db(core.database.em()),
  );
  return rows.map(({ pack }) => pack);
}

/**
 * Returns some sealed packs from a random one on. So the compaction also finds packs of which no end of a reference is recorded:
 * those from before it existed, and those of a restore.
 */
export async function samplePacks(core: Core, limit: number): Promise<string[]> {
  const { rows } = await sampledPacks(limit).execute(db(core.database.em()));
  return rows.map(({ id }) => id);
}

/** Removes a candidate that was examined. */
export async function dropCandidate(core: Core, pack: string): Promise<void> {
  await db(core).deleteFrom('compaction_candidate').where('pack_id', '=', pack).execute();
}

/** Continues the compaction of a pack in the next run. */
export async function keepCandidate(core: Core, pack: string): Promise<void> {
  await sql`insert into compaction_candidate (pack_id, due) values (${pack}, now()) on conflict do nothing`.execute(
    db(core),
  );
}

/** Postpones a pack that could not be rewritten. */
export async function postponeCandidate(core: Core, pack: string): Promise<void> {
  await sql`
    insert into compaction_candidate (pack_id, due) values (${pack}, now() + ${PAUSE_MS} * interval '1 millisecond')
    on conflict (pack_id) do update set due = excluded.due`.execute(db(core));
}
