import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import { failpoint } from '../../failpoints.ts';
import { readByIndex } from './read-by-index.ts';
import { sampledPacks } from './sampled-packs.ts';

/** The number of suspects that one statement reads. */
const PAGE_SIZE = 1_000;
/** The most packs, and the most contents, that one transaction removes while deploys wait for the fence. */
const MAX_PACKS_AT_ONCE = 100;
const MAX_CONTENTS_AT_ONCE = 1_000;

/** The most often that a pack is examined for compaction, because references to a pack can end every second. */
const EXAMINED_EVERY_MS = 60 * 60 * 1000;

/** What one transaction removed. */
export interface RemovedUnderFence {
  packs: number;
  contents: number;
}

const isReferenced = (pack: RawBuilder<unknown>) => sql<boolean>`(
  exists (select from deployment_pack d where d.pack_id = ${pack})
  or exists (select from upload_pack u where u.pack_id = ${pack})
  or exists (select from compression k where k.pack_id = ${pack}))`;

/** Whether a pack is sealed; null if it has no row. A subquery for the state can only use the index of the id. */
const isSealed = (pack: RawBuilder<unknown>) =>
  sql<boolean>`(select p.state from pack p where p.id = ${pack}) = 'sealed'`;

const endOfGrace = (graceMs: number) => sql`now() - ${graceMs} * interval '1 millisecond'`;

/**
 * Makes suspects of unreferenced packs for which no end of a reference is recorded: those from before triggers recorded it, and
 * those of a restore. Examines some packs from a random id on, so that repeated calls examine all of them.
 */
export async function suspectForgottenPacks(core: Core): Promise<void> {
  await sql`
    with examined as (${sampledPacks(PAGE_SIZE)})
    insert into pack_suspect (pack_id, since)
    select e.id, clock_timestamp() from examined e
    where not ${isReferenced(sql`e.id`)} and not exists (select from pack_suspect s where s.pack_id = e.id)
    on conflict do nothing`.execute(db(core));
}

/**
 * Deletes the suspects past their grace time that are none: something refers to the pack, it was suspected again later, or it is
 * not sealed. Needs no fence, because a reference that ends later is recorded again. Packs to which something refers become
 * candidates of the compaction.
 */
export async function dropSettledSuspects(core: Core, graceMs: number): Promise<void> {
  while (await dropSettledPage(core, graceMs));
}

function dropSettledPage(core: Core, graceMs: number): Promise<boolean> {
  return core.database.transaction(async (em) => {
    await readByIndex(em);
    const { rows } = await sql<{ count: number }>`
      with settled as (
        delete from pack_suspect s using (
          select pack_id, since from pack_suspect where since <= ${endOfGrace(graceMs)} order by since limit ${PAGE_SIZE}) due
        where s.pack_id = due.pack_id and s.since = due.since and (
          not coalesce(${isSealed(sql`s.pack_id`)}, false)
          or exists (select from pack_suspect n where n.pack_id = s.pack_id and n.since > s.since)
          or ${isReferenced(sql`s.pack_id`)})
        returning s.pack_id),
      candidates as (
        insert into compaction_candidate (pack_id, due)
        select distinct pack_id, now() + ${Math.min(graceMs, EXAMINED_EVERY_MS)} * interval '1 millisecond'
        from settled where ${isReferenced(sql`pack_id`)} order by pack_id
        on conflict do nothing)
      select count(*)::int as count from settled`.execute(db(em));
    return rows[0]!.count > 0;
  });
}

/**
 * Deletes contents of packs to which nothing has referred for the grace time, and marks the packs that have none left as dead.
 * The work of one call is bounded, because deploys wait for the fence meanwhile. The caller must hold the fence exclusively.
 *
 * @param maxPacks The maximum number of packs.
 * @returns What was removed; zeros if no pack is due. Source: storage W2, W5.
 */
export async function removeUnreferenced(
  em: EntityManager,
  graceMs: number,
  maxPacks: number,
): Promise<RemovedUnderFence> {
  await readByIndex(em);
  const { rows } = await sql<{ id: string }>`
    select s.pack_id as id from (
      select pack_id, since from pack_suspect where since <= ${endOfGrace(graceMs)} order by since limit ${PAGE_SIZE}) s
    where ${isSealed(sql`s.pack_id`)} and not ${isReferenced(sql`s.pack_id`)}
      and not exists (select from pack_suspect n where n.pack_id = s.pack_id and n.since > s.since)
    limit ${Math.min(maxPacks, MAX_PACKS_AT_ONCE)}`.execute(db(em));
  if (rows.length === 0) return { packs: 0, contents: 0 };
  const ids = sql`${rows.map(({ id }) => id)}::uuid[]`;
  const { numAffectedRows: contents = 0n } = await sql`
    delete from content where hash = any(array(
      select hash from content where pack_id = any(${ids}) limit ${MAX_CONTENTS_AT_ONCE}))`.execute(db(em));
  const { numAffectedRows: packs = 0n } = await sql`
    update pack set state = 'dead' where id = any(${ids}) and not exists (select from content c where c.pack_id = pack.id)`.execute(
    db(em),
  );
  failpoint('sweep.pack-condemned');
  return { packs: Number(packs), contents: Number(contents) };
}
