import type { Coding } from '@berth/serving';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { db } from '../../database/tables.ts';
import type { CompressedForm } from '../../entities/index.ts';
import { failpoint } from '../../failpoints.ts';
import type { IndexEntry } from '../../storage/pack-index.ts';
import { hashAtPosition, isOneOf, numberArray, packHashes } from '../packs/contents.ts';
import { tryCloseFence } from '../packs/fence.ts';
import { commitWithPack, markSealed, type OpenPack, openPack } from '../packs/open-packs.ts';
import { readByIndex } from '../packs/read-by-index.ts';
import type { SparsePack, StoredUnit } from './sparse-packs.ts';

/** How long deploys can wait for the move, besides for each other. */
const FENCE_WAIT_MS = 500;
const FENCE_TRIES = 3;

/**
 * Copies what a part of a sparse pack needs to a new pack, makes it durable, and moves the rows in one transaction. The old pack
 * stays, with the deployments that refer to it.
 *
 * @returns How many bytes the new pack has, and whether the rows were moved: not if deploys held the fence, or the rows were gone.
 * @throws if bytes are lost or damaged; the errors of the store and the database. Source: storage C1, C2.
 */
export async function rewritePart(
  core: Core,
  from: string,
  part: readonly StoredUnit[],
): Promise<{ bytes: number; moved: boolean }> {
  const pack = openPack(core);
  try {
    const places = await copyPlaces(core, pack, from, part);
    const { sizeBytes } = await pack.seal();
    failpoint('compaction.copied');
    for (let tries = 0; tries < FENCE_TRIES; tries += 1) {
      const outcome = await commitWithPack(core, pack, async (em) => {
        if (!(await tryCloseFence(em, FENCE_WAIT_MS))) return { packUsed: false, fenced: false };
        return { packUsed: await moveUnits(em, core, { from, to: pack.id, sizeBytes, part, places }), fenced: true };
      });
      if (outcome.fenced) return { bytes: sizeBytes, moved: outcome.packUsed };
    }
    return { bytes: sizeBytes, moved: false };
  } finally {
    await pack.close();
  }
}

/** Copies bytes, and compares them with their hashes. Returns the new places, by SHA-256. */
async function copyPlaces(
  core: Core,
  pack: OpenPack,
  from: string,
  part: readonly StoredUnit[],
): Promise<Map<string, IndexEntry>> {
  const reader = core.packs.scan();
  const copied = new Set<string>();
  for (const { places } of part)
    for (const { sha256, offset, length } of places.toSorted((a, b) => a.offset - b.offset)) {
      if (copied.has(sha256)) continue;
      copied.add(sha256);
      const sink = pack.begin(() => {});
      for await (const chunk of reader.stream({ pack: from, offset, length })) await sink.write(chunk as Buffer);
      sink.end();
    }
  await pack.finish();
  const places = new Map(pack.contents().map((place) => [place.sha256, place]));
  const damaged = part.find((unit) => unit.places.some(({ sha256 }) => !places.has(sha256)));
  if (damaged) throw new Error(`Content ${damaged.content} of pack ${from} does not match its hash`);
  return places;
}

interface Move {
  from: string;
  to: string;
  sizeBytes: number;
  part: readonly StoredUnit[];
  /** The places in the new pack, by SHA-256. */
  places: ReadonlyMap<string, IndexEntry>;
}

/**
 * Moves the rows, and lets everything that refers to the old pack refer to the new one too. The caller holds the fence exclusively:
 * no deploy that has found a content in the old pack is about to commit.
 *
 * @returns False if there was nothing to move, and nothing changed.
 */
async function moveUnits(em: EntityManager, core: Core, { from, to, sizeBytes, part, places }: Move): Promise<boolean> {
  await readByIndex(em);
  const contents = part.filter(({ forms }) => forms === null).map(({ content }) => places.get(content)!);
  const forms = part.flatMap((unit) =>
    unit.forms ? [{ sha256: unit.content, forms: movedForms(unit.forms, places) }] : [],
  );
  const movedContents = await sql`
    update content c set pack_id = ${to}, "offset" = m."offset"
    from (
      select ${hashAtPosition(packHashes(contents.map(({ sha256 }) => sha256)), 'position')} as hash, "offset"
      from unnest(${numberArray(contents.map(({ offset }) => offset))}::bigint[]) with ordinality as f ("offset", position)) m
    where c.hash = m.hash and c.pack_id = ${from}`.execute(db(em));
  const movedCompressions = await sql`
    update compression k set pack_id = ${to}, forms = m.forms
    from jsonb_to_recordset(${JSON.stringify(forms)}::jsonb) as m (sha256 text, forms jsonb)
    where k.content_hash = decode(m.sha256, 'hex') and k.pack_id = ${from}`.execute(db(em));
  if (!movedContents.numAffectedRows && !movedCompressions.numAffectedRows) return false;
  await sql`
    insert into deployment_pack (deployment_id, pack_id)
    select id, ${to} from (
      select id from deployment where id in (select deployment_id from deployment_pack where pack_id = ${from})
      order by id for key share) d`.execute(db(em));
  await sql`
    insert into upload_pack (upload_hash, pack_id)
    select hash, ${to} from (
      select hash from upload where hash in (select upload_hash from upload_pack where pack_id = ${from})
      order by hash for key share) u`.execute(db(em));
  if (forms.length > 0)
    // The triggers record references that are deleted, not those that move.
    await sql`
      insert into pack_suspect (pack_id, since) values (${from}, clock_timestamp()) on conflict do nothing`.execute(
      db(em),
    );
  await markSealed(em, core, to, sizeBytes);
  failpoint('compaction.moved');
  return true;
}

function movedForms(
  forms: Partial<Record<Coding, CompressedForm>>,
  places: ReadonlyMap<string, IndexEntry>,
): Partial<Record<Coding, CompressedForm>> {
  return Object.fromEntries(Object.entries(forms).map(([coding, { sha256 }]) => [coding, places.get(sha256)!]));
}

/**
 * Ends the references of the deployments of a sparse pack whose needed contents have all moved. So the pack becomes a suspect, which
 * the sweep removes after its grace time. Deployments that joined the pack meanwhile keep it, as open uploads do. Needs no fence: the
 * contents of a deployment never change, and contents never move into a sealed pack.
 *
 * @returns False if a needed content is still in the pack, and nothing changed. Source: storage C2.
 */
export async function releasePack(core: Core, { id, live, deployments }: SparsePack): Promise<boolean> {
  return core.database.transaction(async (em) => {
    await readByIndex(em);
    const contents = live.filter(({ forms }) => forms === null).map(({ content }) => content);
    const remaining = await db(em)
      .selectFrom('content')
      .select('length')
      .where(isOneOf(contents))
      .where('pack_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (remaining) return false;
    await sql`
      delete from deployment_pack where pack_id = ${id} and deployment_id = any(${[...deployments]}::text[])`.execute(
      db(em),
    );
    await sql`
      insert into pack_suspect (pack_id, since) values (${id}, clock_timestamp()) on conflict do nothing`.execute(
      db(em),
    );
    return true;
  });
}
