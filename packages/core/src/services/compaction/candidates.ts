import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { HASH_BYTES, hashAtPosition } from '../packs/contents.ts';
import { sampledPacks } from '../packs/sampled-packs.ts';
import { MIN_FREED_BYTES } from './sparse-packs.ts';

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
 * Samples sealed packs and returns those of which less than half may be needed: one statement rules out most packs by what their newest
 * deployment and their compressed forms need. So the compaction also finds packs of which no end of a reference is recorded: those from
 * before it existed, and those of a restore.
 */
export async function sampleSparsePacks(core: Core, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with sample as materialized (
      select p.id, p.size, ${BYTES_OF_NEWEST_DEPLOYMENT} + ${BYTES_OF_FORMS} as needed
      from (${sampledPacks(limit)}) s join pack p on p.id = s.id)
    select id from sample where 2 * needed < size and size - needed >= ${MIN_FREED_BYTES}`.execute(
    db(core.database.em()),
  );
  return rows.map(({ id }) => id);
}

/** The contents of a pack lie beside each other in the table, so they are read first, without the index of the hashes. */
const BYTES_OF_NEWEST_DEPLOYMENT = sql`(
  select coalesce(sum(c.length), 0)
  from (select hash, length from content where pack_id = p.id offset 0) c
  where c.hash in (
    select ${hashAtPosition(sql.ref('m.hashes'), 'position')}
    from (
      select hashes from deployment_pack n join manifest using (deployment_id)
      where n.pack_id = p.id order by deployment_id desc limit 1) m
    cross join lateral generate_series(1, length(m.hashes) / ${sql.lit(HASH_BYTES)}) as position))`;

/** Equal forms of several contents share their bytes. */
const BYTES_OF_FORMS = sql`(
  select coalesce(sum(f.length), 0)
  from (
    select distinct form ->> 'sha256', (form ->> 'length')::bigint as length
    from compression k cross join lateral jsonb_each(k.forms) as forms (coding, form) where k.pack_id = p.id) f)`;

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
